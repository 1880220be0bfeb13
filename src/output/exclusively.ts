import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { OutputError } from "./output-error";

/**
 * Does work in a folder that no other process works in, with a workspace: a new folder inside it, removed afterwards.
 * Waits for a process that is still working, and removes what a killed one left behind.
 * @param work Is also told the folder's last change before its own workspace.
 * @param patience How long to wait for another process, in milliseconds.
 * @throws OutputError naming the process that is still working.
 */
export function exclusively<Result>(
  folder: string,
  work: (workspace: string, atEntry: LastChange) => Result,
  patience = 10_000,
): Result {
  const deadline = Date.now() + patience;
  const own = join(folder, nameFor(process.pid));
  let entry = enter(folder, own);
  for (; !entry; entry = enter(folder, own)) {
    const [other] = othersIn(folder);
    if (other && Date.now() > deadline) throw new OutputError([busy(folder, other)]);
    // A random time: two processes that yield to each other must not do so forever.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20 + Math.random() * 40);
  }
  try {
    return work(own, entry.before);
  } finally {
    remove(own);
  }
}

/** In each workspace: what a killed process left must not be committed, for it would hold up every other machine. */
export const ignoreFile = ".gitignore";

/** Whether a process is working in a folder, or was killed there. */
export function hasWorkspaces(folder: string): boolean {
  return workspacesIn(folder).length > 0;
}

/** Undefined: there is no folder. */
export type LastChange = bigint | undefined;

/** Differs once a process has made its workspace in a folder. */
export function lastChange(folder: string): LastChange {
  try {
    return statSync(folder, { bigint: true }).mtimeNs;
  } catch {
    // Whatever is in the way is told later.
    return undefined;
  }
}

/**
 * A process's workspace, named after it. No two living processes share a name, so removing a dead one's cannot hit a
 * living one, as taking over a lock file can.
 */
interface Workspace {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
}

const thisHost = encodeURIComponent(`${hostname()}${pidNamespace()}`);

/** Two containers may have the same host name, but not the same process IDs. */
function pidNamespace(): string {
  try {
    return ` ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Only Linux has them.
    return "";
  }
}

function nameFor(pid: number): string {
  return `.synth-${pid}@${thisHost}`;
}

/** Enters first, then looks around: of two processes that enter at once, at least one sees the other. */
function enter(folder: string, own: string): { readonly before: LastChange } | undefined {
  if (othersIn(folder).length > 0) return undefined;
  const before = lastChange(folder);
  // Left by a killed process that had our pid.
  remove(own);
  mkdirSync(own);
  writeFileSync(join(own, ignoreFile), "*\n");
  if (othersIn(folder).length === 0) return { before };
  remove(own);
  return undefined;
}

/** Workspaces of other processes that are, or may be, alive. */
function othersIn(folder: string): Workspace[] {
  return workspacesIn(folder).filter(({ name, pid, host }) => {
    if (host === thisHost && pid === process.pid) return false;
    // We cannot tell whether a process on another machine is alive.
    if (host !== thisHost || isAlive(pid)) return true;
    return !remove(join(folder, name));
  });
}

function workspacesIn(folder: string): Workspace[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [, pid, host] = /^\.synth-(\d+)@(.+)$/.exec(name) ?? [];
    return pid === undefined || host === undefined ? [] : [{ name, pid: Number(pid), host }];
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: alive, but another user's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function remove(workspace: string): boolean {
  try {
    rmSync(workspace, { recursive: true, force: true });
    return true;
  } catch {
    // Another process is removing it too, or it belongs to another user.
    return false;
  }
}

function busy(folder: string, { name, pid, host }: Workspace): string {
  const path = join(folder, name);
  const since = statSync(path, { throwIfNoEntry: false })?.birthtime.toISOString();
  return `${folder}: process ${pid} on ${decodeURIComponent(host)} has been writing to it since ${since}; run again when it has finished, or, if it was killed, delete ${path}`;
}
