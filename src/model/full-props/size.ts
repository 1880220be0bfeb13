import { defaults, withDefaults } from "../defaults";
import type { ClusterSize } from "../props/size";

export type Size = ReturnType<typeof sizeOf>;

export function sizeOf(given: ClusterSize | undefined) {
  const { nodes, pods, services } = withDefaults(given, defaults.size);
  const { sizePerNode, leastServices } = defaults;
  return {
    nodes,
    pods: pods ?? nodes * sizePerNode.pods,
    services: services ?? Math.max(nodes * sizePerNode.services, leastServices),
    /** Whether the cluster file says how many nodes there are. If not, only memory goes by the size. */
    hasNodes: given?.nodes !== undefined,
  };
}
