import { existsSync } from "node:fs";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import type { ClusterNode } from "../../../rig/cluster/node";
import { sleep, until } from "../../../rig/until";
import type { Pod, EndpointSlice } from "../../../src/model/kubernetes/kinds";

// What tests query about the programs of a cluster's DNS, on nodes and in the API.

export type PodObject = KubernetesObject & Pod;

/** The pods of a program that are not about to end, on one node or all. @param app Their label `k8s-app`. */
export async function podsOf({ kubectl }: Cluster, app: string, node?: string): Promise<PodObject[]> {
  const where = node === undefined ? "" : `spec.nodeName=${node}`;
  const pods = await kubectl.list<PodObject>("pods", "kube-system", `k8s-app=${app}`, where);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** The pod of a program that runs on each node. */
export async function podOn(cluster: Cluster, app: string, node: string): Promise<PodObject> {
  const [pod] = await podsOf(cluster, app, node);
  if (pod === undefined) throw new Error(`no pod of ${app} on ${node}`);
  return pod;
}

/** To which Service `kube-dns` leads. */
export async function readyDnsAddresses({ kubectl }: Cluster): Promise<string[]> {
  const of = "kubernetes.io/service-name=kube-dns";
  const slices = await kubectl.list<EndpointSlice>("endpointslices", "kube-system", of);
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  return endpoints.filter(({ conditions }) => conditions?.ready === true).flatMap(({ addresses }) => addresses);
}

export const ports = { cache: 9253, watchdog: 9254, kubeProxy: 10249 } as const;

/** The sum over a metric's series. @param address Where the program listens, if not on the node's network. */
export async function metric(
  node: ClusterNode,
  program: keyof typeof ports,
  name: RegExp,
  address?: string,
): Promise<number> {
  return sumOf(await metrics(node, program, address), name);
}

/** Done by the shell itself: starting a program for each query would use more CPU than what is measured. */
function metrics(
  node: ClusterNode,
  program: keyof typeof ports,
  address = program === "kubeProxy" ? "127.0.0.1" : node.address,
): Promise<string> {
  const get = `exec 3<> /dev/tcp/${address}/${ports[program]} && printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
  return node.exec(["bash", "-c", get]);
}

/** Over the series of a metric in a page. */
export function sumOf(text: string, name: RegExp): number {
  const series = text.split("\n").filter((line) => name.test(line));
  return series.reduce((total, line) => total + Number(line.split(" ").at(-1)), 0);
}

/** The cache's process, as seen from the machine. */
export function cacheProcess(cluster: Cluster, node: ClusterNode): Promise<number> {
  return processOf("node-local-dns", cluster, node);
}

/** The process of a program that runs on each node. @param app Its label `k8s-app`. */
export async function processOf(app: string, cluster: Cluster, node: ClusterNode): Promise<number> {
  return node.podProcess((await podOn(cluster, app, node.name)).metadata.uid ?? "");
}

/** Kills a process; returns how many milliseconds it took to exit and us to notice. */
export async function killed(pid: number): Promise<number> {
  const started = performance.now();
  process.kill(pid, "SIGKILL");
  while (existsSync(`/proc/${pid}`)) await sleep(1);
  return performance.now() - started;
}

/** How many listeners of the node's cache are. */
export function listenersInUse(node: ClusterNode): Promise<number> {
  return metric(node, "watchdog", /^node_local_dns_watchdog_local/);
}

/** Waits until every listener of the node's cache is in use. */
export async function ledToCache(node: ClusterNode): Promise<void> {
  await until(`the cache of ${node.name} to be used`, 120, async () => {
    const text = await metrics(node, "watchdog");
    const listeners = sumOf(text, /^node_local_dns_watchdog_cache_up/);
    return listeners > 0 && sumOf(text, /^node_local_dns_watchdog_local/) === listeners;
  });
}

/** What a node has of the agent: link, table and chains. */
export async function onNode(node: ClusterNode): Promise<string[]> {
  const { stdout } = await node.attempt([
    "sh",
    "-c",
    `ip -o link show dev nodelocaldns 2> /dev/null
     nft list tables
     for save in iptables-nft-save ip6tables-nft-save iptables-legacy-save ip6tables-legacy-save; do $save 2> /dev/null; done
     true`,
  ]);
  return stdout.split("\n").filter((line) => /nodelocaldns|node-local-dns|169\.254\.20\./i.test(line));
}
