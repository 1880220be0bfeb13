import { defaults, withDefaults } from "../defaults";
import type { ClusterSize } from "../props/size";

/** How large a cluster is, as far as its DNS goes by that. */
export interface Size extends Required<ClusterSize> {
  /** Whether the cluster file says how many nodes there are. If not, only memory goes by the size. */
  readonly hasNodes: boolean;
}

export function sizeOf(given: ClusterSize | undefined): Size {
  const { nodes, pods, services } = withDefaults(given, defaults.size);
  const { sizePerNode, leastServices } = defaults;
  return {
    nodes,
    pods: pods ?? nodes * sizePerNode.pods,
    services: services ?? Math.max(nodes * sizePerNode.services, leastServices),
    hasNodes: given?.nodes !== undefined,
  };
}
