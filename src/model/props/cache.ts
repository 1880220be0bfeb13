/** CoreDNS's `cache` plugin. */
export interface CacheOptions {
  /** Positive answers. */
  readonly success?: CacheClass;

  /** Negative answers (NXDOMAIN, no data). */
  readonly denial?: CacheClass;

  /**
   * Refresh popular names before they expire.
   * @default - off
   */
  readonly prefetch?: Prefetch;

  /**
   * How long an expired answer may still be given while the upstream cannot be reached, as a Go duration
   * (`30s`, `1h`); CoreDNS's `serve_stale`.
   * @default - off
   */
  readonly serveStale?: string;
}

/** Size and age limits of one class of cached answers. */
export interface CacheClass {
  /**
   * Entries kept, at least 1,024; CoreDNS rounds down to a multiple of its 256 shards. About 3 kB each.
   * @default 9984
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

/** `prefetch AMOUNT DURATION PERCENTAGE%` of CoreDNS's `cache` plugin. */
export interface Prefetch {
  /**
   * Queries without a gap of `duration` that make a name popular.
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly amount: number;

  /**
   * Longest gap between these queries, as a Go duration.
   * @default 1m
   */
  readonly duration?: string;

  /**
   * Refresh when this share of the TTL is left, in percent.
   * @default 10
   * @minimum 10
   * @maximum 90
   * @asType integer
   */
  readonly percentage?: number;
}
