import { beforeAll, expect, it } from "vitest";
import type { Node } from "../../../src/model/kubernetes/kinds";
import { untilHealthy, flux, Commits } from "../lib/gitops";
import { eventually } from "../../eventually";
import { useCluster } from "../lib/use-cluster";
import { podsOf } from "../lib/programs";
import { uncached } from "../lib/usual";

const cluster = useCluster({ proxyMode: "iptables" });
const commits = new Commits(cluster);

beforeAll(() => commits.commit(flux, uncached));

// kubeadm's anti-affinity also counts the pods that a rollout replaces: both new ones avoid the node of the old ones.
it.each([
  ["1.31", "by the API server's hash"],
  ["1.30", "by a hash of ours"],
])("one rollout spreads pods that a drain left on one node, with Kubernetes %s (%s)", async (kubernetesVersion) => {
  await commits.commit(flux, { ...uncached, kubernetesVersion });
  await cluster().kubectl.run(["drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s"]);
  // In place of the pod that left: before there is another node.
  await untilHealthy(cluster(), commits.current);
  await cluster().kubectl.run(["uncordon", "node-2"]);
  // The scheduler obeys its taint until a controller has removed it.
  const taints = async () => (await cluster().kubectl.get<Node>("node", "node-2"))?.spec?.taints ?? [];
  await eventually("a node without taints", 60, taints, []);
  expect(await nodes()).toEqual(["node-1", "node-1"]);
  await commits.commit(flux, { ...uncached, kubernetesVersion, labels: { rollout: kubernetesVersion } });
  expect(await nodes()).toEqual(["node-1", "node-2"]);
});

async function nodes(): Promise<string[]> {
  return (await podsOf(cluster(), "kube-dns")).map(({ spec }) => spec.nodeName ?? "").toSorted();
}
