import type { Cluster } from "../../../rig/cluster/cluster";
import type { ClusterNode } from "../../../rig/cluster/node";
import { until } from "../../../rig/until";

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
