import { readdirSync, readFileSync } from "node:fs";
import { sleep } from "../until";

export interface Footprint {
  /** Resident memory of the process and its children, in MiB. */
  readonly memory: number;
  /** CPU time as a percentage of one core, for the process and every child that it had in the meantime. */
  readonly cpu: number;
}

/** What an idle process costs. */
export async function footprint(pid: number, seconds: number): Promise<Footprint> {
  const [before, start] = [ticks(pid), performance.now()];
  await sleep(seconds * 1000);
  // USER_HZ is 100 on Linux.
  const cpu = (ticks(pid) - before) / ((performance.now() - start) / 1000);
  return { memory: [pid, ...children(pid)].reduce((sum, one) => sum + resident(one), 0), cpu };
}

// utime, stime, and those of exited children; running children are added.
function ticks(pid: number): number {
  const [, , , , , , , , , , , utime = 0, stime = 0, cutime = 0, cstime = 0] = stat(pid).map(Number);
  return utime + stime + cutime + cstime + children(pid).reduce((sum, child) => sum + ticks(child), 0);
}

function resident(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

function children(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => Number(stat(other)[1]) === pid);
}

// Starts at the state: the process name before it may contain spaces.
function stat(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  } catch {
    return [];
  }
}
