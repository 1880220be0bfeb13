import { defaults } from "../defaults";
import type { Size } from "../full-props/size";

/** Who asks CoreDNS: pods, or a cache on every node. */
export type Clients = "pods" | "caches";

/**
 * What one replica of CoreDNS serves. Of pods: the defaults of Kubernetes' autoscaler (cluster/addons/dns-horizontal-autoscaler).
 * Of caches, eight times as much: should all of them fail, one core answers four queries a second from each of 30 pods
 * on 128 nodes (15,000 queries a second on a core; docs/performance.md).
 */
export const served = {
  pods: { nodes: 16, cores: 256 },
  caches: { nodes: 128, cores: 2048 },
} as const;

/** Each watches all Services: the 313 of Kubernetes' own test did not outlive an API server (kubernetes#139117). */
export const mostReplicas = 100;

export function replicasFor(size: Size, clients: Clients): number {
  const { leastReplicas } = defaults;
  return size.hasNodes ? Math.min(Math.max(wanted(size, clients), leastReplicas), mostReplicas) : leastReplicas;
}

/** Whether there are fewer replicas than each would need to serve no more than its share. */
export function isCapped(size: Size, clients: Clients): boolean {
  return size.hasNodes && wanted(size, clients) > mostReplicas;
}

const usualMilliCpu = 100;

/** As in Kubernetes' coredns.yaml.base. */
export const usualCpu = `${usualMilliCpu}m`;

/** The usual CPU for a replica that serves its share, and as much more as it serves more. */
export function cpuFor(size: Size, clients: Clients): string {
  if (!isCapped(size, clients)) return usualCpu;
  const shares = size.nodes / (mostReplicas * served[clients].nodes);
  return `${Math.ceil((shares * usualMilliCpu) / 10) * 10}m`;
}

function wanted({ nodes }: Size, clients: Clients): number {
  return Math.ceil(nodes / served[clients].nodes);
}
