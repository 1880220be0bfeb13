import { readdirSync, readFileSync } from "node:fs";
import { sleep } from "../until";

/** Of a process and its children, in MiB. */
export interface Memory {
  /** With the program's own text, which all processes of a program share. */
  readonly resident: number;
  /** With its share of what it shares: what would be free without it. */
  readonly proportional: number;
  /** Written, so that the kernel cannot drop it and read it again from a file. */
  readonly dirty: number;
}

export interface Footprint {
  readonly memory: Memory;
  /** CPU time as a percentage of one core, for the process and every child that it had in the meantime. */
  readonly cpu: number;
}

/** What an idle process costs. */
export async function footprint(pid: number, seconds: number): Promise<Footprint> {
  const [before, start] = [cpuTicks(pid), performance.now()];
  await sleep(seconds * 1000);
  // USER_HZ is 100 on Linux.
  const cpu = (cpuTicks(pid) - before) / ((performance.now() - start) / 1000);
  return { memory: memoryOf([pid, ...children(pid)]), cpu };
}

/** The CPU time that a process and its children have used, in hundredths of a second. */
export function cpuTicks(pid: number): number {
  // utime, stime, and those of exited children; running children are added.
  const [, , , , , , , , , , , utime = 0, stime = 0, cutime = 0, cstime = 0] = stat(pid).map(Number);
  return utime + stime + cutime + cstime + children(pid).reduce((sum, child) => sum + cpuTicks(child), 0);
}

function memoryOf(pids: readonly number[]): Memory {
  const rollups = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
  const total = (field: string) =>
    rollups.reduce((sum, text) => sum + Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0), 0) /
    1024;
  return { resident: total("Rss"), proportional: total("Pss"), dirty: total("Pss_Dirty") };
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
