import type { Duration } from "./values";

/** CoreDNS's `cache` plugin. */
export interface CacheOptions {
  /** Positive answers. */
  readonly success?: CacheClass;

  /** Negative answers (NXDOMAIN, no data). */
  readonly denial?: CacheClass;

  /**
   * Refresh popular names before they expire. The refresh uses TCP, so an entry may take up to 64 kB.
   * @default - off
   */
  readonly prefetch?: Prefetch;

  /**
   * Answer with expired entries while the upstream does not respond: for how long, as a Go duration (`30s`, `1h`), or
   * an object with all options. Needs CoreDNS 1.14.7, or `engine: node-cache`.
   * @default - off, unless `resilience` says otherwise
   * @formatMinimum 1s
   * @formatMaximum 87600h
   */
  readonly serveStale?: Duration | ServeStale;
}

/** Size and age limits of one class of cached answers. */
export interface CacheClass {
  /**
   * Maximum entries; CoreDNS rounds down to a multiple of 256. An entry takes about 3 kB, in the worst case 5 kB for
   * names of the cluster domain and 66 kB for others; the memory limit follows.
   * @default - 9984 for the cluster's names in the node cache, or more positive ones if `size` has more than 30 pods on a
   * node; 1024, CoreDNS's minimum, for all others
   * @minimum 1024
   * @maximum 10000000
   * @asType integer
   */
  readonly capacity?: number;

  /**
   * Longest time an answer is kept, in seconds.
   * @default - 30; 5 for denials of the cluster domain in the node cache
   * @minimum 1
   * @maximum 86400
   * @asType integer
   */
  readonly ttl?: number;
}

/** Only sizes and ages. */
export interface CacheClasses {
  /** Positive answers. */
  readonly success?: CacheClass;

  /** Negative answers (NXDOMAIN, no data). */
  readonly denial?: CacheClass;
}

/** `prefetch AMOUNT DURATION PERCENTAGE%` of CoreDNS's `cache` plugin. */
export interface Prefetch {
  /**
   * Queries without a gap longer than `duration` that make a name popular.
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly amount: number;

  /**
   * Longest gap between these queries, as a Go duration.
   * @default 1m
   */
  readonly duration?: Duration;

  /**
   * Refresh when this share of the TTL is left, in percent.
   * @default 10
   * @minimum 10
   * @maximum 90
   * @asType integer
   */
  readonly percentage?: number;
}

/**
 * `serve_stale` of CoreDNS's `cache` plugin. `engine: node-cache` has an older CoreDNS that supports only `duration`,
 * `refresh` and `clusterNames`.
 */
export interface ServeStale {
  /**
   * How long after its expiry an answer may still be given, as a Go duration.
   * @formatMinimum 1s
   * @formatMaximum 87600h
   */
  readonly duration: Duration;

  /**
   * `verify`: ask the upstream, and give the expired answer only if that fails or takes longer than `timeout`.
   * `immediate`: give the expired answer first and refresh it afterwards, even while the upstream works.
   * @default verify
   */
  readonly refresh?: "verify" | "immediate";

  /**
   * How long `verify` waits for the upstream; the query to it continues and refreshes the cache. At most `4s`, because
   * resolvers ask again after 5.
   * @default - 1s; with engine node-cache until forwarding gives up
   * @formatMinimum 1ms
   * @formatMaximum 4s
   */
  readonly timeout?: Duration;

  /**
   * TTL of an expired answer, in whole seconds: `30s`.
   * @default - 30s (RFC 8767); 0 with engine node-cache
   * @formatMinimum 1s
   * @formatMaximum 24h
   */
  readonly responseTTL?: Duration;

  /**
   * How long a name is not asked again after its refresh failed, at most `5m`. Until then, expired answers come without
   * delay; they also do so while another query is refreshing the same name, even if the upstream works.
   * @default - every query for an expired name asks
   * @formatMinimum 1ms
   * @formatMaximum 5m
   */
  readonly failureRecheck?: Duration;

  /**
   * Prefer an answer, even an expired one, to a newer NXDOMAIN, no data or SERVFAIL (`serve_stale_policy
   * prefer_positive`): a deleted name stays for `duration`, and a SERVFAIL is not cached.
   * @default false
   */
  readonly preferPositive?: boolean;

  /**
   * Also for the cluster's names: pods may be sent to addresses of Services and pods that no longer exist.
   * @default false
   */
  readonly clusterNames?: boolean;
}
