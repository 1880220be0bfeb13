import { defaults, withDefaults } from "../defaults";
import type { CacheClass, CacheOptions, Prefetch } from "../props/cache";
import { plugin, type Directive } from "./corefile";

/** What a `cache` plugin is told. */
export interface CacheSettings {
  readonly success: Required<CacheClass>;
  readonly denial: Required<CacheClass>;
  readonly prefetch: Required<Prefetch> | undefined;
  readonly serveStale: string | undefined;
}

/** @param denialTTL Of negative answers, where the user says nothing. */
export function cacheSettings(
  { success, denial, prefetch, serveStale }: CacheOptions = {},
  denialTTL: number = defaults.cache.denial.ttl,
): CacheSettings {
  return {
    success: withDefaults(success, defaults.cache.success),
    denial: withDefaults(denial, { ...defaults.cache.denial, ttl: denialTTL }),
    prefetch: prefetch && withDefaults(prefetch, defaults.prefetch),
    serveStale,
  };
}

/** The same with the capacity of a stub domain. */
export function ofStubDomain({ success, denial, ...rest }: CacheSettings): CacheSettings {
  const capacity = defaults.stubDomainCapacity;
  return { ...rest, success: { ...success, capacity }, denial: { ...denial, capacity } };
}

/** @param disableFor A zone whose names are not cached, because they come from memory anyway. */
export function cachePlugin({ success, denial, prefetch, serveStale }: CacheSettings, disableFor?: string): Directive {
  return plugin(
    "cache",
    [],
    [
      plugin("success", [success.capacity, success.ttl]),
      plugin("denial", [denial.capacity, denial.ttl]),
      ...(prefetch ? [plugin("prefetch", [prefetch.amount, prefetch.duration, `${prefetch.percentage}%`])] : []),
      ...(serveStale ? [plugin("serve_stale", [serveStale])] : []),
      ...(disableFor ? [plugin("disable", ["success", disableFor]), plugin("disable", ["denial", disableFor])] : []),
    ],
  );
}
