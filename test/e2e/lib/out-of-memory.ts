import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hierarchies } from "../../../rig/cluster/cgroups";
import { attempt } from "../../../rig/run";
import { sleep } from "../../../rig/until";
import { parseQuantity } from "../../../src/model/syntax/quantity";

const mebibyte = 2 ** 20;
/** What is left of the container's memory, and what is then allocated in it. Together the bound of what this can use. */
const left = 4 * mebibyte;
const allocated = "128M";

/**
 * The kernel ends a container's process because its memory cgroup is full: the cgroup's limit is lowered to little more
 * than what is in use, and a second process allocates more than that inside. Returns how long the process took to exit
 * at most: since it was last seen alive, on a machine that may be too busy to look each millisecond.
 *
 * @param pid As the machine sees it.
 * @param limit The memory limit that the manifest gives the container, if it does.
 */
export async function outOfMemory(pid: number, limit: string | undefined): Promise<number> {
  const folder = memoryCgroupOf(pid);
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const has = Number(read("memory.limit_in_bytes"));
  const expected = Number((parseQuantity(limit ?? "0")?.nanos ?? 0n) / 1_000_000_000n);
  // Without a limit, the kernel shows the largest number that it knows.
  if (limit === undefined ? has < 2 ** 62 : has !== expected)
    throw new Error(`memory limit of ${folder}: got ${has}, expected ${limit ?? "none"}; nothing was allocated`);

  writeFileSync(`/proc/${pid}/oom_score_adj`, "1000"); // the kernel's first choice in its cgroup
  writeFileSync(join(folder, "memory.limit_in_bytes"), String(Number(read("memory.usage_in_bytes")) + left));
  const allocation = attempt(["sh", "-c", allocate, "sh", folder], { timeoutSeconds: 10 });
  let aliveAt = performance.now();
  const deadline = aliveAt + 10_000;
  while (!hasExited(pid)) {
    const now = performance.now();
    if (!isKilled(folder)) aliveAt = now;
    if (now > deadline) throw new Error(`process ${pid} lives, with its memory limit at its use`);
    await sleep(1);
  }
  const endedMs = performance.now() - aliveAt;
  const { code, stderr } = await allocation;
  if (code === 3) throw new Error(stderr);
  return endedMs;
}

/** Joins the cgroup and makes sure that it has; dd uses a single buffer. */
const allocate = `
  echo $$ > "$1/cgroup.procs" || exit 3
  grep -q ':memory:/.*kubepods' /proc/self/cgroup || { echo "not in $1" >&2; exit 3; }
  exec dd if=/dev/zero of=/dev/null bs=${allocated} count=1`;

/** @throws Error if the process is not in the memory cgroup of a container. */
function memoryCgroupOf(pid: number): string {
  const text = readFileSync(`/proc/${pid}/cgroup`, "utf8");
  const path = /^\d+:memory:(.*)$/m.exec(text)?.[1] ?? "";
  const hierarchy = hierarchies().find((each) => each.endsWith("/memory"));
  if (hierarchy === undefined || !path.includes("kubepods"))
    throw new Error(`process ${pid} is in no container's memory cgroup: ${text}; nothing was allocated`);
  return join(hierarchy, path);
}

function isKilled(folder: string): boolean {
  try {
    return /^oom_kill [1-9]/m.test(readFileSync(join(folder, "memory.oom_control"), "utf8"));
  } catch {
    return true; // the cgroup is gone with its last process
  }
}

/** Its first thread may end before others, which still hold its sockets. */
function hasExited(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  try {
    const states = readdirSync(folder).map((task) => readFileSync(join(folder, task, "status"), "utf8"));
    return states.every((status) => /^State:\s+[XZ]/m.test(status));
  } catch {
    return !existsSync(folder);
  }
}
