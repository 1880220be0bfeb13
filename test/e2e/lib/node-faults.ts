import { realpathSync } from "node:fs";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { ClusterNode } from "../../../rig/cluster/node";
import { cacheProcess, killed, processOf } from "./node-cache";

/** Mends what it broke. */
export type PutBack = () => Promise<void>;

/** The node's cache hangs: it keeps its sockets and answers nothing. The kubelet ends it after half a minute or so. */
export async function hangingCache(cluster: Cluster, node: ClusterNode): Promise<PutBack> {
  const pid = await cacheProcess(cluster, node);
  process.kill(pid, "SIGSTOP");
  return async () => signal(pid, "SIGCONT");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The kubelet was faster.
  }
}

/** Somebody else's link takes the name of ours, which the watchdog then does not touch. */
export async function foreignLink(cluster: Cluster, node: ClusterNode): Promise<PutBack> {
  const watchdog = await processOf("node-local-dns-watchdog", cluster, node);
  // It would make its own again before the name is taken.
  process.kill(watchdog, "SIGSTOP");
  try {
    await node.exec(["ip", "link", "delete", "nodelocaldns"]);
    await node.exec(["ip", "link", "add", "nodelocaldns", "type", "veth", "peer", "name", "foreign"]);
  } finally {
    process.kill(watchdog, "SIGCONT");
  }
  return async () => {
    await node.exec(["ip", "link", "delete", "nodelocaldns"]);
  };
}

/** The node's kubelet tells pods another nameserver. */
export async function otherNameserver(cluster: Cluster, node: ClusterNode, address: string): Promise<PutBack> {
  const configure = async (dropIn: string | undefined) => {
    await node.configureKubelet(dropIn);
    await cluster.nodesReady();
  };
  await configure(
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDNS: ["${address}"]\n`,
  );
  return () => configure(undefined);
}

/** A firewall of the node's own, with one chain. */
export async function firewall(node: ClusterNode, hook: string, rules: string): Promise<PutBack> {
  await node.exec(["nft", `table ip firewall { chain own { type filter hook ${hook}; ${rules}; }; }`]);
  return async () => {
    await node.exec(["nft", "delete", "table", "ip", "firewall"]);
  };
}

/** A program without DNS takes the cache's port as soon as the cache lets go of it, so that a new one cannot start. */
export async function portTaken(cluster: Cluster, node: ClusterNode, address: string): Promise<PutBack> {
  const listens = `
    const server = require("node:net").createServer();
    const listen = () => server.listen(53, "${address}");
    server.on("error", () => setTimeout(listen, 1));
    listen();`;
  node.start("taker", [realpathSync(process.execPath), "-e", listens]);
  await killed(await cacheProcess(cluster, node));
  return () => node.stop("taker", "KILL");
}
