import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { Node, Pod } from "../../../src/model/kubernetes/kinds";
import { sync, untilHealthy, flux } from "../lib/gitops";
import { eventually } from "../../eventually";
import { useCluster } from "../lib/use-cluster";

const cluster = useCluster({ proxyMode: "iptables" });
let applied: readonly KubernetesObject[] = [];

beforeAll(() => commit({}));

// kubeadm's anti-affinity also counts the pods that a rollout replaces: both new ones avoid the node of the old ones.
it.each([
  ["1.31", "by the API server's hash"],
  ["1.30", "by a hash of ours"],
])("one rollout spreads pods that a drain left on one node, with Kubernetes %s (%s)", async (kubernetesVersion) => {
  await commit({ kubernetesVersion });
  const { kubectl } = cluster();
  await kubectl.run(["drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s"]);
  // In place of the pod that left: before there is another node.
  await untilHealthy(cluster(), applied);
  await kubectl.run(["uncordon", "node-2"]);
  // The scheduler obeys its taint until a controller has removed it.
  const taints = async () => (await kubectl.get<Node>("node", "node-2"))?.spec?.taints ?? [];
  await eventually("a node without taints", 60, taints, []);
  expect(await nodes()).toEqual(["node-1", "node-1"]);
  await commit({ kubernetesVersion, labels: { rollout: kubernetesVersion } });
  expect(await nodes()).toEqual(["node-1", "node-2"]);
});

async function commit(more: { readonly kubernetesVersion?: string; readonly labels?: { [label: string]: string } }) {
  const { components } = renderCluster(
    clusterOf({
      clusterDNS: [clusterDns.ipv4],
      kubeProxyMode: "iptables",
      nodeLocalDNS: { state: "disabled" },
      ...more,
    }),
  );
  const after = components.flatMap(({ objects }) => objects as KubernetesObject[]);
  await sync(cluster(), flux, { before: applied, after });
  applied = after;
  await untilHealthy(cluster(), after);
}

async function nodes(): Promise<string[]> {
  const pods = await cluster().kubectl.list<Pod>("pods", "kube-system", "k8s-app=kube-dns");
  return pods
    .filter(({ metadata }) => !("deletionTimestamp" in metadata))
    .map(({ spec }) => spec.nodeName ?? "")
    .toSorted();
}
