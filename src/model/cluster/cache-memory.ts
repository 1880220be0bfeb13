import type { CacheSettings } from "../corefile/cache";

const mebi = 1024 * 1024;

/** CoreDNS with empty caches. */
const baseBytes = 20 * mebi;

/** About 30 MB for 10,000 entries, as users of node-cache found (kubekey#3246). */
const bytesPerEntry = 3000;

/** Memory that the node cache needs when its caches are full, as a quantity in whole Mi. */
export function cacheMemory(caches: readonly CacheSettings[]): string {
  const entries = caches.reduce((sum, { success, denial }) => sum + success.capacity + denial.capacity, 0);
  return `${Math.ceil((baseBytes + entries * bytesPerEntry) / mebi)}Mi`;
}
