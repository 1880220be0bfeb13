import type { ClusterState } from "../running/cluster-state";
import { some } from "../syntax/some";
import { kubeletFile, type Described } from "./described";
import type { Finding } from "./finding";
import { noted } from "./suggestions";

/** Why nobody knows whom all pods ask; undefined if every node's kubelet was read. */
export function unreadKubelets({ nodes = [], kubelets }: Pick<ClusterState, "nodes" | "kubelets">): string | undefined {
  if (kubelets.size === 0) return "no kubelet's configuration was read";
  const unread = nodes.map(({ metadata }) => metadata.name).filter((node) => !kubelets.has(node));
  return unread.length === 0 ? undefined : `the kubelet's configuration was not read of ${some(unread)}`;
}

/** Said of a command that takes away what answers: a pod keeps the nameserver of its start. */
export const olderPods = "first restart pods that are older than their kubelet's settings: they may still ask it";

/** Kubelets that lead pods to an address that is not the cluster file's: nothing would answer there any more. */
export function stillInUse(state: ClusterState, described: Described): Pick<Finding, "evidence" | "next"> | undefined {
  const { cluster } = described;
  const own = new Set([...cluster.kubelet.clusterDNS, ...cluster.nameservers, ...cluster.said.clusterDNS]);
  const others = [...state.kubelets].flatMap(([node, { clusterDNS = [] }]) => {
    const addresses = clusterDNS.filter((address) => !own.has(address));
    return addresses.length > 0 ? [{ node, addresses }] : [];
  });
  const unread = unreadKubelets(state);
  if (others.length === 0 && unread === undefined) return undefined;
  const addresses = [...new Set(others.flatMap((each) => each.addresses))].join(", ");
  return {
    evidence: [
      others.length === 0
        ? `${unread}: pods may still use it`
        : `kubelets lead pods to ${addresses} (${some(others.map(({ node }) => node))}), which the cluster file does not have: delete nothing yet`,
    ],
    next: [
      noted(
        kubeletFile(described),
        "for the kubelets' --config-dir; then restart kubelets and all pods, and ask the doctor again",
      ),
    ],
  };
}
