import { realpathSync } from "node:fs";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { ClusterNode } from "../../../rig/cluster/node";
import { until } from "../../../rig/until";
import { serviceRanges } from "../../../rig/cluster/addresses";
import { cacheProcess, killed, processOf } from "./programs";

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

/** Beside the drop-in of the cluster file, which stays. */
const dropIn = "60-pressure";

/** Of process ids, far fewer than the machine has, and far more than it shows its kubelet under pressure. */
const wanted = "1000";
const shown = "100";

/**
 * The node's kubelet finds too few process ids and evicts pods, while a function runs. It runs before the pressure
 * begins: when it starts, a kubelet rejects what it would have evicted.
 */
export async function underPressure(
  cluster: Cluster,
  node: ClusterNode,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const evictionHard = {
    "memory.available": "0%",
    "nodefs.available": "0%",
    "nodefs.inodesFree": "0%",
    "imagefs.available": "0%",
    "pid.available": wanted,
  };
  const kubelet = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" };
  // 0s would be the default, five minutes.
  const configuration = { ...kubelet, evictionHard, evictionPressureTransitionPeriod: "1s" };
  const admissions = () => node.log("kubelet").split(`"SyncLoop ADD" source="api"`).length;
  const before = admissions();
  await node.configureKubelet(JSON.stringify(configuration), dropIn);
  await until(`the pods of ${node.name}, admitted again`, 60, async () => admissions() > before);
  await node.exec(["sh", "-c", `echo ${shown} > /run/pid_max && mount --bind /run/pid_max /proc/sys/kernel/pid_max`]);
  try {
    await untilCondition("PIDPressure");
    await meanwhile();
  } finally {
    await node.exec(["umount", "/proc/sys/kernel/pid_max"]);
    await untilCondition("PIDPressure=False");
    await node.configureKubelet(undefined, dropIn);
    await cluster.nodesReady();
  }

  async function untilCondition(condition: string): Promise<void> {
    const wait = ["wait", `--for=condition=${condition}`, `node/${node.name}`, "--timeout=300s"];
    await cluster.kubectl.run(wait, { timeoutSeconds: 70 });
  }
}

/** The control plane's namespace, the nodes' router here, has a kube-proxy. A real router knows no Services, nor does this. */
export async function forgetServicesOnRouter({ controlPlane }: Cluster): Promise<void> {
  const rule = `iifname "br0" ip daddr ${serviceRanges.ipv4} drop`;
  const table = `table ip router { chain in { type filter hook prerouting priority -300; ${rule}; }; }`;
  await controlPlane.exec(["nft", table]);
}
