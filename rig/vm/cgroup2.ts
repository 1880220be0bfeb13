import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folders } from "../cluster/cgroups";

export const cgroupRoot = "/sys/fs/cgroup";

/** The file system of each cgroup hierarchy that is mounted: `cgroup` is version 1. */
export function cgroupVersions(): string[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8");
  return Array.from(mounts.matchAll(/ - (cgroup2?) /g), ([, type = ""]) => type);
}

/** The cgroup of the container that runs this program; undefined if none does. */
export function containerCgroup(program: string): string | undefined {
  return folders(join(cgroupRoot, "kubepods")).find((folder) =>
    lines(folder, "cgroup.procs").some((pid) => commandOf(pid) === program),
  );
}

export function cgroupValue(cgroup: string, file: string): string | undefined {
  return lines(cgroup, file)[0];
}

function lines(cgroup: string, file: string): string[] {
  try {
    return readFileSync(join(cgroup, file), "utf8").trim().split("\n");
  } catch {
    return []; // it has just ended
  }
}

function commandOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0];
  } catch {
    return undefined;
  }
}
