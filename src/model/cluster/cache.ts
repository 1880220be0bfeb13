import type { CacheSettings, StaleSettings } from "../corefile/cache";
import { defaults, withDefaults } from "../defaults";
import type { CacheClasses, CacheOptions, ServeStale } from "../props/cache";
import type { Engine } from "../props/node-local-dns";
import type { Resilience } from "./resilience";

/** For names outside the cluster domain. `classes` overrides `options`, whose capacities belong to another cache. */
export function outsideCache(
  options: CacheOptions = {},
  classes: CacheClasses = options,
  engine: Engine = "coredns",
  resilience?: Resilience,
): CacheSettings {
  const { prefetch, serveStale } = options;
  const of = (kind: "success" | "denial") => {
    const { capacity, ttl } = defaults.cache[kind];
    return withDefaults(classes[kind], { capacity, ttl: options[kind]?.ttl ?? ttl });
  };
  return {
    success: of("success"),
    denial: of("denial"),
    prefetch: prefetch && withDefaults(prefetch, defaults.prefetch),
    serveStale: staleSettings(serveStale, engine) ?? resilience?.stale.outside,
  };
}

/** The cache for the cluster's names in the node cache. @param capacity Positive answers. */
export function clusterCache(
  options: CacheOptions = {},
  engine: Engine,
  capacity: number,
  resilience?: Resilience,
): CacheSettings {
  const said = inFull(options.serveStale);
  return {
    ...outsideCache(options, options, engine),
    success: withDefaults(options.success, { ...defaults.clusterCache.success, capacity }),
    denial: withDefaults(options.denial, defaults.clusterCache.denial),
    serveStale:
      said === undefined
        ? resilience?.stale.cluster
        : said.clusterNames
          ? staleSettings(options.serveStale, engine)
          : undefined,
  };
}

function staleSettings(given: string | ServeStale | undefined, engine: Engine): StaleSettings | undefined {
  const options = inFull(given);
  if (!options) return undefined;
  const { duration, refresh, timeout, responseTTL, failureRecheck, preferPositive } = withDefaults(
    engine === "node-cache" ? options : withDefaults(options, defaults.staleTimes),
    defaults.serveStale,
  );
  // Only `verify` waits.
  const waited = refresh === "verify" ? timeout : undefined;
  const preferred = engine === "node-cache" ? undefined : preferPositive;
  return { duration, refresh, timeout: waited, responseTTL, failureRecheck, preferPositive: preferred };
}

/** A plain duration is short for an object with only `duration`. */
function inFull(serveStale: string | ServeStale | undefined): ServeStale | undefined {
  return typeof serveStale === "string" ? { duration: serveStale } : serveStale;
}
