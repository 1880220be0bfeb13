import type { WatchdogThresholds } from "../props/watchdog-thresholds";
import { parseDuration } from "../syntax/duration";

/** When the watchdog acts; docs/watchdog.md gives the reasons. */
export interface Thresholds {
  // Set in the cluster file, see `WatchdogThresholds`.
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
  readonly failures: number;
  readonly windowFailures: number;
  readonly windowMs: number;
  readonly successes: number;
  readonly recoverAfterMs: number;
  readonly hostTimeoutMs: number;

  /** A later answer is suspicious: from then on, probes are `fastIntervalMs` apart. */
  readonly probeLateMs: number;
  readonly fastIntervalMs: number;
  /** `recoverAfterMs` doubles with every flip within `flapWindowMs`, up to this. */
  readonly recoverMaxMs: number;
  readonly flapWindowMs: number;
  /** Between two queries for the cluster zone, through the cache and past it. */
  readonly clusterIntervalMs: number;
  readonly clusterTimeoutMs: number;
  /** Consecutive failures through the cache, while the cluster DNS answers, before the switch turns off. */
  readonly clusterFailures: number;
  /** Between two readings of the counters. */
  readonly countIntervalMs: number;
  /** Counting is meaningful from this many requests between two readings ... */
  readonly countRequests: number;
  /** ... from this many clients; a single one never makes the switch turn off. */
  readonly countClients: number;
  /**
   * Replies count as lost if less than this share of requests have one, and less than this share of clients got any.
   */
  readonly countShare: number;
  /** Consecutive readings with missing replies before the switch turns off. */
  readonly countFailures: number;
  /**
   * Until the cache is tried again after losing replies, because only its use can show; doubles up to
   * `countRetryMaxMs`.
   */
  readonly countRetryMs: number;
  readonly countRetryMaxMs: number;
  /** Between two full comparisons of link, addresses and rules with their intended state. */
  readonly checkIntervalMs: number;
}

/** Not set in any cluster file. */
const fixed = {
  probeLateMs: 50,
  fastIntervalMs: 25,
  recoverMaxMs: 60_000,
  flapWindowMs: 600_000,
  clusterIntervalMs: 10_000,
  clusterTimeoutMs: 1_000,
  clusterFailures: 3,
  countIntervalMs: 15_000,
  countRequests: 10,
  countClients: 2,
  countShare: 0.2,
  countFailures: 2,
  countRetryMs: 60_000,
  countRetryMaxMs: 1_800_000,
  checkIntervalMs: 60_000,
};

export function thresholdsOf(told: Required<WatchdogThresholds>): Thresholds {
  const { failures, windowFailures, successes } = told;
  return {
    probeIntervalMs: milliseconds(told.probeInterval),
    probeTimeoutMs: milliseconds(told.probeTimeout),
    failures,
    windowFailures,
    windowMs: milliseconds(told.windowLength),
    successes,
    recoverAfterMs: milliseconds(told.recoverAfter),
    hostTimeoutMs: milliseconds(told.hostTimeout),
    ...fixed,
  };
}

function milliseconds(duration: string): number {
  return parseDuration(duration) ?? 0;
}
