import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { explain, HostsFileError } from "./error";
import { findHostsFile, type HostsFileLocation } from "./find";

export interface ReplaceOptions extends HostsFileLocation {
  /** Give the new file the SELinux label of the old one. */
  readonly keepLabel?: boolean;
  /**
   * A file that was written to less than so many milliseconds ago may be half-written, by a program that writes in place, and is waited
   * for. More than the kernel's time of a file may be late (10 ms).
   * @default 100
   */
  readonly settle?: number;
}

/**
 * Replaces a hosts file by rename, so that whoever reads it sees the old one or the new one. `edit` takes and gives the file's
 * bytes, one a character (latin1). Nothing is written when it gives back what it got. Mode and owner stay.
 * @throws HostsFileError The file is as it was.
 */
export async function replaceHostsFile(
  options: ReplaceOptions,
  edit: (text: string) => string,
): Promise<"replaced" | "unchanged"> {
  try {
    const file = findHostsFile(options);
    removeStale(file);
    for (let attempt = 0; attempt < 20; attempt++) {
      const { text, stats } = await readSettled(file, options.settle);
      const edited = edit(text);
      if (edited === text) return "unchanged";
      if (replace(file, stats, edited, options)) return "replaced";
    }
    throw new HostsFileError(
      "changing",
      `${options.path} changes faster than it can be replaced; tried again next time`,
    );
  } catch (error) {
    throw explain(options.path, error);
  }
}

async function readSettled(file: string, settle = 100): Promise<{ text: string; stats: BigIntStats }> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      const age = Date.now() - Number(stats.mtimeMs);
      // A file from the future says nothing about when it was written.
      if (age >= settle || age < -1000) {
        const text = readFileSync(descriptor, "latin1");
        return { text, stats };
      }
    } finally {
      closeSync(descriptor);
    }
    await sleep(settle);
  }
  throw new HostsFileError("changing", `${file} is written to all the time; tried again next time`);
}

/** False when somebody else wrote to the file since it was read. */
function replace(file: string, before: BigIntStats, text: string, { keepLabel = false }: ReplaceOptions): boolean {
  const temporary = join(dirname(file), `${prefix(file)}${randomBytes(8).toString("hex")}`);
  try {
    write(temporary, text, before);
    if (keepLabel) copyLabel(file, temporary);
    if (!isSame(lstatSync(file, { bigint: true }), before)) return false;
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(file));
  return true;
}

function write(path: string, text: string, { mode, uid, gid }: BigIntStats): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    writeFileSync(descriptor, text, "latin1");
    const created = fstatSync(descriptor, { bigint: true });
    if (created.uid !== uid || created.gid !== gid) fchownSync(descriptor, Number(uid), Number(gid));
    fchmodSync(descriptor, Number(mode & 0o7777n));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isSame(now: BigIntStats, before: BigIntStats): boolean {
  return (["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const).every((key) => now[key] === before[key]);
}

/** Node has no call for extended attributes. coreutils copies them, the label among them, and leaves the contents alone. */
function copyLabel(from: string, to: string): void {
  try {
    execFileSync("cp", ["--attributes-only", "--preserve=xattr", from, to], {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 5000,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    throw new HostsFileError("label", `the SELinux label of ${from} cannot be kept: ${why}`, { cause: error });
  }
}

/** The rename itself must outlast a crash. Some file systems have nothing to sync in a folder. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EINVAL")) throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** What a writer that was killed left behind; a younger one may be in use by another writer. */
function removeStale(file: string): void {
  const folder = dirname(file);
  const tenMinutes = 600_000;
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix(file)))) {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > tenMinutes) rmSync(path, { force: true });
  }
}

function prefix(file: string): string {
  return `.${basename(file)}.cluster-dns-`;
}
