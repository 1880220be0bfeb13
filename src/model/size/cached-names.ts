import { defaults } from "../defaults";
import type { Size } from "../full-props/size";

/** CoreDNS has 256 shards, of equal size. */
const shards = 256;

/**
 * Positive answers that the node cache keeps of the cluster's names: CoreDNS's own number for 30 pods on a node, and more
 * in proportion. No more than an address and an SRV record for each Service. CoreDNS's own number of negative answers,
 * which are kept for 5 seconds, is enough for 2,000 names a second.
 */
export function cachedNames({ nodes, pods, services, hasNodes }: Size): number {
  const { capacity } = defaults.clusterCache.success;
  if (!hasNodes) return capacity;
  const asked = Math.min((capacity * pods) / nodes / defaults.sizePerNode.pods, 2 * services);
  return Math.max(capacity, Math.ceil(asked / shards) * shards);
}
