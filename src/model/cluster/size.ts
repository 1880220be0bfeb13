import { defaults, withDefaults } from "../defaults";
import type { ClusterSize } from "../props/size";

export function sizeOf(given: ClusterSize | undefined): Required<ClusterSize> {
  const { nodes, pods, services } = withDefaults(given, defaults.size);
  const { sizePerNode, leastServices } = defaults;
  return {
    nodes,
    pods: pods ?? nodes * sizePerNode.pods,
    services: services ?? Math.max(nodes * sizePerNode.services, leastServices),
  };
}
