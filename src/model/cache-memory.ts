import { defaultCacheCapacity } from "./corefile/shared";
import type { CacheOptions } from "./spec/cache";

const mebi = 1024 * 1024;

/** CoreDNS with empty caches. */
const baseBytes = 20 * mebi;

/** About 30 MB for 10,000 entries, as users of node-cache found (kubekey#3246). */
const bytesPerEntry = 3000;

/** Memory that a cache fills when `caches` zones of it are full, as a quantity in whole Mi. */
export function cacheMemory({ success, denial }: CacheOptions = {}, caches: number): string {
  const entries = (success?.capacity ?? defaultCacheCapacity) + (denial?.capacity ?? defaultCacheCapacity);
  return `${Math.ceil((baseBytes + caches * entries * bytesPerEntry) / mebi)}Mi`;
}
