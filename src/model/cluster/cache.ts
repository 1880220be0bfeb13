import type { CacheSettings, StaleSettings } from "../corefile/cache";
import { defaults, withDefaults } from "../defaults";
import type { CacheClasses, CacheOptions, ServeStale } from "../props/cache";
import type { NodeLocalDnsOptions } from "../props/node-local-dns";

type Engine = NonNullable<NodeLocalDnsOptions["engine"]>;

/** The cache for names outside the cluster domain: `classes` where they say more than `options`, whose capacities are of another cache. */
export function outsideCache(
  options: CacheOptions = {},
  classes: CacheClasses = options,
  engine: Engine = "coredns",
): CacheSettings {
  const of = (kind: "success" | "denial") => {
    const { capacity, ttl } = defaults.cache[kind];
    return withDefaults(classes[kind], { capacity, ttl: options[kind]?.ttl ?? ttl });
  };
  return {
    success: of("success"),
    denial: of("denial"),
    prefetch: options.prefetch && withDefaults(options.prefetch, defaults.prefetch),
    serveStale: staleSettings(options.serveStale, engine),
  };
}

/** The cache for the cluster's names in the node cache. */
export function clusterCache(options: CacheOptions = {}, engine: Engine): CacheSettings {
  return {
    ...outsideCache(options, options, engine),
    success: withDefaults(options.success, defaults.clusterCache.success),
    denial: withDefaults(options.denial, defaults.clusterCache.denial),
    serveStale: inFull(options.serveStale)?.clusterNames ? staleSettings(options.serveStale, engine) : undefined,
  };
}

function staleSettings(given: string | ServeStale | undefined, engine: Engine): StaleSettings | undefined {
  const options = inFull(given);
  if (!options) return undefined;
  const { duration, refresh, preferPositive, failureRecheck } = withDefaults(options, defaults.serveStale);
  const { timeout, responseTTL } = engine === "node-cache" ? options : withDefaults(options, defaults.staleTimes);
  return { duration, refresh, timeout, responseTTL, failureRecheck, preferPositive };
}

/** A duration alone says all else by default. */
function inFull(serveStale: string | ServeStale | undefined): ServeStale | undefined {
  return typeof serveStale === "string" ? { duration: serveStale } : serveStale;
}
