import { defaults, withDefaults } from "../defaults";
import type { ClusterSize } from "../props/size";

export function sizeOf(given: ClusterSize | undefined): Required<ClusterSize> {
  const { nodes, pods, services, ...unread } = withDefaults(given, defaults.size);
  unread satisfies { readonly [key: string]: never };
  const { sizePerNode, leastServices } = defaults;
  return {
    nodes,
    pods: pods ?? nodes * sizePerNode.pods,
    services: services ?? Math.max(nodes * sizePerNode.services, leastServices),
  };
}
