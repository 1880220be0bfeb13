import { join } from "node:path";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { Pod } from "../../../rig/cluster/pod";
import { repositoryRoot } from "../../../rig/repository";
import { run } from "../../../rig/run";

/** The compiler of each C library. */
const compilers = { musl: ["musl-gcc", "-static"], glibc: ["gcc"] } as const;

export type CLibrary = keyof typeof compilers;

/** Compiles a program that looks names up. Returns its path. */
export async function compileLookups(cluster: Cluster, library: CLibrary): Promise<string> {
  const program = cluster.names.file(`lookups-${library}`);
  await run([...compilers[library], "-O2", "-o", program, join(repositoryRoot, "test/e2e/lib/lookups.c")]);
  return program;
}

/** Looks a name up in a pod, again and again. Times are in milliseconds. */
export async function lookups(pod: Pod, program: string, name: string, count: number) {
  await pod.exec(["nft", counting]);
  const printed = await pod.exec([program, name, String(count)]);
  const counted = await pod.exec(["nft", "-j", "list", "table", "inet", "counting"]);
  await pod.exec(["nft", "delete", "table", "inet", "counting"]);
  const results = printed
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  const times = results.map(([, microseconds = 0]) => microseconds / 1000).toSorted((a, b) => a - b);
  const quantile = (part: number) => times[Math.ceil(times.length * part) - 1] ?? 0;
  return {
    /** Of `getaddrinfo`; 0 if all succeeded. */
    errors: results.filter(([error]) => error !== 0).length,
    /** That left the pod. */
    queries: Number(/"packets": (\d+)/.exec(counted)?.[1]),
    p50: quantile(0.5),
    p99: quantile(0.99),
  };
}

const counting = `table inet counting {
  chain out {
    type filter hook output priority 0;
    udp dport 53 counter
  }
}`;
