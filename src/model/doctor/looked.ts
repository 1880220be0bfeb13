import { findProxy } from "../running/find-proxy";
import type { ClusterState } from "../running/cluster-state";
import type { Described } from "./described";

/** What was read, for whoever wonders what a doctor without findings has looked at. */
export function lookedAt(state: ClusterState, described?: Described, context?: string): string[] {
  const { serverVersion, nodes, pods, kubelets, metrics, logs } = state;
  const { cluster } = described ?? {};
  const modes = findProxy(state)
    .evidence.map(({ mode, source }) => `${mode} (${source})`)
    .join(", ");
  return [
    `${context === undefined ? "" : `context ${context}: `}API server ${serverVersion ?? "of unknown version"}, ${count(nodes)}`,
    described
      ? `all objects in ${state.dnsNamespaces.join(" and ")}, and those of no namespace, that the cluster file of ${described.name} renders, but Secrets`
      : "no cluster file: Services, pods and logs of the cluster's DNS, compared with nothing",
    `DNS settings of ${kubelets.size} kubelets, and of ${pods ? "all" : "unread"} pods`,
    `logs of ${logs.size} pods, metrics of ${metrics.size}`,
    `kube-proxy's mode: ${modes || (cluster ? `${cluster.said.kubeProxyMode}, by the cluster file` : "unknown")}`,
  ];
}

function count(nodes: ClusterState["nodes"]): string {
  return nodes === undefined ? "unread nodes" : nodes.length === 1 ? "1 node" : `${nodes.length} nodes`;
}
