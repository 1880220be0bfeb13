import { mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = "/sys/fs/cgroup";

/** The folder of each hierarchy mounted on this machine. */
export function hierarchies(): string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(" ")[4] ?? "")
    .filter((folder) => folder.startsWith(`${root}/`));
}

/** What to mount under a node's /sys/fs/cgroup to see the same hierarchies: `NAME=OPTIONS`. */
export function hierarchyOptions(): string[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => / - cgroup2? /.test(line));
  return mounts.flatMap((line) => {
    const folder = line.split(" ")[4] ?? "";
    const [type, , options = ""] = (line.split(" - ")[1] ?? "").split(" ");
    if (!folder.startsWith(`${root}/`)) return [];
    const name = folder.slice(root.length + 1);
    if (type === "cgroup2") return [`${name}=cgroup2`];
    const named = options.split(",").find((option) => option.startsWith("name="));
    return [`${name}=${named === undefined ? options.replace(/^rw,/, "") : `none,${named}`}`];
  });
}

/** Creates the cgroup `path` in every hierarchy. */
export function makeCgroup(path: string): void {
  for (const hierarchy of hierarchies()) {
    let folder = hierarchy;
    for (const part of path.split("/")) {
      const parent = folder;
      folder = join(folder, part);
      mkdirSync(folder, { recursive: true });
      // a new cpuset has no processors, and takes no process until it has some
      if (hierarchy.endsWith("/cpuset"))
        for (const file of ["cpuset.cpus", "cpuset.mems"])
          writeFileSync(join(folder, file), readFileSync(join(parent, file)));
    }
  }
}

/**
 * A command that moves itself into the cgroup before it becomes `argv`, so that everything it starts can be found
 * there.
 */
export function inCgroup(path: string, argv: readonly string[]): string[] {
  const enter = 'until [ "$1" = -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';
  return ["sh", "-c", enter, "sh", ...hierarchies().map((hierarchy) => join(hierarchy, path)), "--", ...argv];
}

/** Every process in the cgroup and below it. */
export function cgroupProcesses(path: string): number[] {
  const found = hierarchies().flatMap((hierarchy) => folders(join(hierarchy, path)).flatMap(processesOf));
  return [...new Set(found)].filter((pid) => pid > 0);
}

/** Removes the cgroup, which must be empty by now; false if the kernel is not ready to let go. */
export function removeCgroup(path: string): boolean {
  let gone = true;
  for (const folder of hierarchies().flatMap((hierarchy) => folders(join(hierarchy, path)))) {
    try {
      rmdirSync(folder);
    } catch {
      gone = false;
    }
  }
  return gone;
}

/** The top-level cgroups whose names start with `start`. */
export function cgroupsNamed(start: string): string[] {
  const names = hierarchies().flatMap((hierarchy) => readdirSync(hierarchy, { withFileTypes: true }));
  return [
    ...new Set(names.filter((entry) => entry.isDirectory() && entry.name.startsWith(start)).map(({ name }) => name)),
  ];
}

/** The folders below, deepest first. */
export function folders(folder: string): string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...below.flatMap((entry) => folders(join(folder, entry.name))), folder];
  } catch {
    return []; // it has just disappeared
  }
}

function processesOf(folder: string): number[] {
  try {
    return readFileSync(join(folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
