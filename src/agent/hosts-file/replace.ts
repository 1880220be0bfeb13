import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, errorMessage } from "../errors";
import { explain, HostsFileError } from "./error";

export interface ReplaceOptions extends HostsFileLocation {
  /** Gives the new file the SELinux label of the old one. */
  readonly keepLabel?: boolean;
  /**
   * A file written more recently than this may be half-written by a program that writes in place, so it is left to
   * settle. More than the kernel's file timestamps can lag (10 ms).
   * @default 100
   */
  readonly settleMs?: number;
}

/**
 * Replaces a hosts file by rename, so that readers see either the old file or the new one. `edit` takes and returns the
 * file's bytes, one a character (latin1); if it returns its input, nothing is written. Mode and owner stay.
 * @throws HostsFileError The file is unchanged.
 */
export async function replaceHostsFile(
  options: ReplaceOptions,
  edit: (text: string) => string,
): Promise<"replaced" | "unchanged"> {
  try {
    const file = findHostsFile(options);
    removeStale(file);
    for (let attempt = 0; attempt < 20; attempt++) {
      const { text, stats } = await readSettled(file, options.settleMs);
      const edited = edit(text);
      if (edited === text) return "unchanged";
      if (replace(file, stats, edited, options)) return "replaced";
    }
    throw new HostsFileError(
      "changing",
      `${options.path} changes faster than it can be replaced; will try again next time`,
    );
  } catch (error) {
    throw explain(options.path, error);
  }
}

async function readSettled(file: string, settleMs = 100): Promise<{ text: string; stats: fs.BigIntStats }> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    try {
      const stats = fs.fstatSync(descriptor, { bigint: true });
      const ageMs = Date.now() - Number(stats.mtimeMs);
      // A timestamp in the future says nothing.
      if (ageMs >= settleMs || ageMs < -1000) {
        return { text: fs.readFileSync(descriptor, "latin1"), stats };
      }
    } finally {
      fs.closeSync(descriptor);
    }
    await sleep(settleMs);
  }
  throw new HostsFileError("changing", `${file} is being written to constantly; will try again next time`);
}

/** @returns False if another program has written to the file since we read it. */
function replace(file: string, before: fs.BigIntStats, text: string, { keepLabel = false }: ReplaceOptions): boolean {
  const temporary = join(dirname(file), `${prefix(file)}${randomBytes(8).toString("hex")}`);
  try {
    write(temporary, text, before);
    if (keepLabel) copyLabel(file, temporary);
    if (!isSame(fs.lstatSync(file, { bigint: true }), before)) return false;
    fs.renameSync(temporary, file);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  syncFolder(dirname(file));
  return true;
}

function write(path: string, text: string, { mode, uid, gid }: fs.BigIntStats): void {
  const descriptor = fs.openSync(path, "wx", 0o600);
  try {
    fs.writeFileSync(descriptor, text, "latin1");
    const created = fs.fstatSync(descriptor, { bigint: true });
    if (created.uid !== uid || created.gid !== gid) fs.fchownSync(descriptor, Number(uid), Number(gid));
    fs.fchmodSync(descriptor, Number(mode & 0o7777n));
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function isSame(now: fs.BigIntStats, before: fs.BigIntStats): boolean {
  return (["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const).every((key) => now[key] === before[key]);
}

/** Node cannot read extended attributes. `cp` of coreutils copies them, the label among them, without the contents. */
function copyLabel(from: string, to: string): void {
  try {
    execFileSync("cp", ["--attributes-only", "--preserve=xattr", from, to], {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 5000,
    });
  } catch (error) {
    const why = errorMessage(error).trim();
    throw new HostsFileError("label", `the SELinux label of ${from} cannot be kept: ${why}`, { cause: error });
  }
}

/** The rename itself must survive a crash. Some file systems cannot sync a folder. */
function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (errorCode(error) !== "EINVAL") throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Removes what killed writers left behind; another writer may still be using a younger file. */
function removeStale(file: string): void {
  const folder = dirname(file);
  const staleMs = 600_000;
  for (const name of fs.readdirSync(folder).filter((entry) => entry.startsWith(prefix(file)))) {
    const path = join(folder, name);
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > staleMs) fs.rmSync(path, { force: true });
  }
}

function prefix(file: string): string {
  return `.${basename(file)}.cluster-dns-`;
}

/** A hosts file: its path on the host, and where the host's root is mounted here. */
interface HostsFileLocation {
  /** `/host` in a pod, `/` without one. */
  readonly root: string;
  readonly path: string;
}

/** Our path to the file itself, with links resolved: the host's links start at its own root, not ours. */
function findHostsFile({ root, path }: HostsFileLocation): string {
  const mounted = fs.realpathSync(join(root, dirname(path)));
  let onHost = path;
  // As many links as the kernel follows.
  for (let links = 0; links <= 40; links++) {
    const here = join(root, onHost);
    const folder = fs.realpathSync(dirname(here));
    if (folder !== mounted && !folder.startsWith(`${mounted}/`)) {
      throw new HostsFileError(
        "outside",
        `${path} leads to ${onHost} on the host, outside ${dirname(path)}, the only mounted folder`,
      );
    }
    const stats = fs.lstatSync(here);
    if (!stats.isSymbolicLink()) {
      if (!stats.isFile()) throw new HostsFileError("not-a-file", `${onHost} is not a file; nothing was written`);
      return here;
    }
    onHost = resolve(dirname(onHost), fs.readlinkSync(here));
  }
  throw new HostsFileError("outside", `${path} is a circular link`);
}
