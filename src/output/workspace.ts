import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { OutputError } from "./output-error";
import { orElse } from "../model/syntax/or-else";

/** A new folder in a folder that no other process works in meanwhile. */
export interface Workspace {
  readonly path: string;
  /** The folder's last change before. */
  readonly lastChange: LastChange;
}

/** Undefined: there is no folder. */
export type LastChange = bigint | undefined;

/** Differs once a process has made its workspace in a folder. */
export function lastChange(folder: string): LastChange {
  // Whatever is in the way is told later.
  return orElse(() => statSync(folder, { bigint: true }).mtimeNs, undefined);
}

/** Waits for other processes. @param patience In milliseconds. @throws OutputError naming who is still working. */
export function enter(folder: string, patience = 10_000): Workspace {
  const deadline = Date.now() + patience;
  for (;;) {
    const workspace = tryEnter(folder);
    if (workspace) return workspace;
    const [other] = othersIn(folder);
    if (other && Date.now() > deadline)
      throw new OutputError([
        `${folder}: ${other.about}; run again when it has finished, or, if it was killed, delete ${other.path}`,
      ]);
    // A random time: two processes that yield to each other must not do so forever.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20 + Math.random() * 40);
  }
}

export function leave({ path }: Pick<Workspace, "path">): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    // Another process is removing it too, or it belongs to another user.
    return false;
  }
}

/** Makes a workspace one: without all of it, it holds up nobody. Git ignores what a killed process left. */
export const ignoreFile = ".gitignore";
const ignoreAll = "\n*\n";

/** Named after its process: it is the lock as well. No two living ones share a name, so none removes a living one's. */
interface Other {
  readonly path: string;
  readonly pid: number;
  readonly host: string;
  /** Who works there, since when. */
  readonly about: string;
}

/** Only Linux has them. */
const pidNamespace = orElse(() => readlinkSync("/proc/self/ns/pid"), "");

/** Two containers may have the same host name, but not the same process IDs. */
const thisHost = createHash("sha256").update(`${hostname()} ${pidNamespace}`).digest("hex").slice(0, 8);

/** Enters first, then looks around: of two processes that enter at once, at least one sees the other. */
function tryEnter(folder: string): Workspace | undefined {
  if (othersIn(folder).length > 0) return undefined;
  const workspace = { path: join(folder, `.synth-${process.pid}-${thisHost}`), lastChange: lastChange(folder) };
  // Left by a killed process that had our pid.
  leave(workspace);
  try {
    mkdirSync(workspace.path);
    const about = `# process ${process.pid} on ${hostname()} has been writing here since ${new Date().toISOString()}`;
    writeFileSync(join(workspace.path, ignoreFile), about + ignoreAll);
    if (othersIn(folder).length === 0) return workspace;
  } catch (error) {
    leave(workspace);
    throw error;
  }
  leave(workspace);
  return undefined;
}

/** Workspaces of other processes that are, or may be, alive; removes those of killed ones. */
export function othersIn(folder: string): Other[] {
  return workspacesIn(folder).filter(({ path, pid, host, about }) => {
    if (host === thisHost && pid === process.pid) return false;
    // We cannot tell whether a process on another machine is alive.
    if (host !== thisHost) return about !== "";
    return isAlive(pid) ? about !== "" : !leave({ path });
  });
}

function workspacesIn(folder: string): Other[] {
  // Whatever is in the way is told later.
  const names: string[] = orElse(() => readdirSync(folder), []);
  return names.flatMap((name) => {
    const [, pid, host] = /^\.synth-(\d+)-([0-9a-f]{8})$/.exec(name) ?? [];
    const path = join(folder, name);
    return pid === undefined || host === undefined ? [] : [{ path, pid: Number(pid), host, about: aboutOf(path) }];
  });
}

/** Empty if a full disk, or a sudden end, left only a part of it. */
function aboutOf(workspace: string): string {
  const text = orElse(() => readFileSync(join(workspace, ignoreFile), "utf8"), "");
  return text.endsWith(ignoreAll) ? text.slice(2, -ignoreAll.length) : "";
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: alive, but another user's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
