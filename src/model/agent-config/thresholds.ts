import type { WatchdogThresholds } from "../props/watchdog-thresholds";
import { parseDuration } from "../syntax/duration";

/** When the watchdog acts; docs/watchdog.md gives the reasons. */
export interface Thresholds extends Readonly<Record<keyof typeof fixed, number>> {
  // Set in the cluster file, see `WatchdogThresholds`.
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
  readonly failures: number;
  readonly windowFailures: number;
  readonly windowMs: number;
  readonly successes: number;
  readonly recoverAfterMs: number;
  readonly hostTimeoutMs: number;
}

/** Not set in any cluster file. */
const fixed = {
  /** A later answer is suspicious: from then on, probes are `fastIntervalMs` apart. */
  probeLateMs: 50,
  fastIntervalMs: 25,
  /** `recoverAfterMs` doubles with every flip within `flapWindowMs`, up to this. */
  recoverMaxMs: 60_000,
  flapWindowMs: 600_000,
  /** Between two queries for the cluster zone, through the cache and past it. */
  clusterIntervalMs: 10_000,
  clusterTimeoutMs: 1_000,
  /** Consecutive failures through the cache, while the cluster DNS answers, before the switch turns off. */
  clusterFailures: 3,
  /** Between two readings of the counters. */
  countIntervalMs: 15_000,
  /** Counting is meaningful from this many requests between two readings ... */
  countRequests: 10,
  /** ... from this many clients; a single one never makes the switch turn off. */
  countClients: 2,
  /** Replies count as lost if less than this share of requests have one, and less than this share of clients got any. */
  countShare: 0.2,
  /** Consecutive readings with missing replies before the switch turns off. */
  countFailures: 2,
  /** Until the cache is tried again after losing replies, because only its use can show; doubles up to `countRetryMaxMs`. */
  countRetryMs: 60_000,
  countRetryMaxMs: 1_800_000,
  /** Between two full comparisons of link, addresses and rules with their intended state. */
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
