import { defaultCacheCapacity, stubCache } from "./corefile/shared";
import type { CacheOptions } from "./props/cache";

const mebi = 1024 * 1024;

/** CoreDNS with empty caches. */
const baseBytes = 20 * mebi;

/** About 30 MB for 10,000 entries, as users of node-cache found (kubekey#3246). */
const bytesPerEntry = 3000;

/** Memory that the node cache needs when it is full, as a quantity in whole Mi. */
export function cacheMemory(options: CacheOptions = {}, stubDomains: number): string {
  // One for the cluster's names, one for all others.
  const count = 2 * entries(options) + stubDomains * entries(stubCache(options));
  return `${Math.ceil((baseBytes + count * bytesPerEntry) / mebi)}Mi`;
}

function entries({ success, denial }: CacheOptions): number {
  return (success?.capacity ?? defaultCacheCapacity) + (denial?.capacity ?? defaultCacheCapacity);
}
