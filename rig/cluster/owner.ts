import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Names } from "./names";

/** The process that a cluster exists for. */
export interface Owner {
  readonly pid: number;
  /** In clock ticks since boot; distinguishes a process from a later one with the same pid. */
  readonly startTime: string;
}

/** A cluster without an owner stays until it is taken down. */
export function recordOwner(names: Names, pid: number | undefined): void {
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  const owner: Owner | null = pid === undefined || startTime === undefined ? null : { pid, startTime };
  // Others read it meanwhile.
  writeFileSync(names.file("owner.json.new"), JSON.stringify(owner));
  renameSync(names.file("owner.json.new"), names.file("owner.json"));
}

/** Whether a cluster may be in use; one without a record died before it had an owner. */
export function ownerLives(names: Names): boolean {
  const record = recordOf(names);
  if (record === undefined) return false;
  const owner = JSON.parse(record) as Owner | null;
  return owner === null || startTimeOf(owner.pid) === owner.startTime;
}

function recordOf(names: Names): string | undefined {
  try {
    return readFileSync(names.file("owner.json"), "utf8");
  } catch {
    return undefined;
  }
}

function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]; // field 22 of proc_pid_stat(5); the name may hold spaces
  } catch {
    return undefined;
  }
}
