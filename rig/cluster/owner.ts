import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Names } from "./names";

/** The process for which a cluster is there. */
export interface Owner {
  readonly pid: number;
  /** In clock ticks since boot; tells a process from a later one with the same pid. */
  readonly startTime: string;
}

/** A cluster without an owner stays until somebody takes it down. */
export function recordOwner(names: Names, pid: number | undefined): void {
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  const owner: Owner | null = pid === undefined || startTime === undefined ? null : { pid, startTime };
  writeFileSync(names.file("owner.json"), JSON.stringify(owner));
}

/** Whether a cluster may be in use; one that died before it had a record is not. */
export function ownerLives(names: Names): boolean {
  const file = names.file("owner.json");
  if (!existsSync(file)) return false;
  const owner = JSON.parse(readFileSync(file, "utf8")) as Owner | null;
  return owner === null || startTimeOf(owner.pid) === owner.startTime;
}

function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]; // field 22 of proc_pid_stat(5); the name may hold spaces
  } catch {
    return undefined;
  }
}
