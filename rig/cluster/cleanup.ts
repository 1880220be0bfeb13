import { existsSync, readFileSync, readdirSync, rmSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, run } from "../run";
import { until } from "../until";
import { cgroupProcesses, cgroupsNamed, removeCgroup } from "./cgroups";
import { Names, prefix, stateRoot } from "./names";
import { ownerLives } from "./owner";

/** Ends a cluster, however much of it exists, and removes everything it created; others may be doing the same. */
export async function removeCluster(names: Names): Promise<void> {
  await until(
    `the end of all processes of cluster ${names.cluster}`,
    30,
    async () => {
      const pids = await processes(names);
      for (const pid of pids) end(pid);
      return pids.length === 0;
    },
    50,
  );
  await until(`the removal of the network namespaces of cluster ${names.cluster}`, 30, async () => {
    for (const namespace of await namespaces(names)) await attempt(["ip", "netns", "del", namespace]);
    return (await namespaces(names)).length === 0;
  });
  await until(`the removal of the cgroups of cluster ${names.cluster}`, 30, async () => removeCgroup(names.cgroup), 50);
  await until(`the removal of the mounts of cluster ${names.cluster}`, 30, async () => {
    for (const mount of mountsBelow(names.state)) await attempt(["umount", "-l", mount]);
    return mountsBelow(names.state).length === 0;
  });
  rmSync(names.state, { recursive: true, force: true, maxRetries: 10 });
  try {
    rmdirSync(stateRoot);
  } catch {
    // other clusters are there, or it never existed
  }
}

/** Ends the clusters whose test died before it could. */
export async function removeAbandoned(): Promise<string[]> {
  const abandoned = (await clusters()).filter((cluster) => !ownerLives(new Names(cluster)));
  for (const cluster of abandoned) await removeCluster(new Names(cluster));
  return abandoned;
}

/** The names of all clusters with any trace on this machine. */
export async function clusters(): Promise<string[]> {
  const ofFolders = foldersIn(stateRoot);
  const ofCgroups = cgroupsNamed(prefix).map((cgroup) => cgroup.slice(prefix.length));
  const ofNamespaces = (await allNamespaces()).map((namespace) => namespace.slice(prefix.length).split(".")[0] ?? "");
  return [...new Set([...ofFolders, ...ofCgroups, ...ofNamespaces])];
}

/** What is left of a cluster, one line each; nothing once it is down. */
export async function leftovers(names: Names): Promise<string[]> {
  return [
    ...(await processes(names)).map((pid) => `process ${pid}: ${commandLine(pid)}`),
    ...(await namespaces(names)).map((namespace) => `network namespace ${namespace}`),
    ...cgroupsNamed(names.cgroup).map((cgroup) => `cgroup ${cgroup}`),
    ...mountsBelow(names.state).map((mount) => `mount ${mount}`),
    ...(existsSync(names.state) ? [`folder ${names.state}`] : []),
  ];
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it has never existed, or has just been removed
  }
}

async function processes(names: Names): Promise<number[]> {
  const inNamespaces: number[] = [];
  for (const namespace of await namespaces(names)) {
    const { stdout } = await attempt(["ip", "netns", "pids", namespace]);
    inNamespaces.push(...stdout.split("\n").filter(Boolean).map(Number));
  }
  return [...new Set([...cgroupProcesses(names.cgroup), ...inNamespaces])].filter((pid) => pid !== process.pid);
}

async function namespaces(names: Names): Promise<string[]> {
  const own = names.namespace("");
  return (await allNamespaces()).filter((namespace) => namespace.startsWith(own));
}

async function allNamespaces(): Promise<string[]> {
  const listed = await run(["ip", "netns", "list"]);
  return listed
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "")
    .filter((namespace) => namespace.startsWith(prefix));
}

function mountsBelow(folder: string): string[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "");
  return mounts.filter((mount) => mount.startsWith(`${folder}/`)).reverse();
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has just ended
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(join("/proc", String(pid), "cmdline"), "utf8")
      .replaceAll("\u0000", " ")
      .trim();
  } catch {
    return "(ended)";
  }
}
