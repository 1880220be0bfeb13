import { defaults, withDefaults } from "../defaults";
import type { WatchdogThresholds } from "../props/watchdog-thresholds";
import { parseDuration } from "../syntax/duration";

/** When the watchdog acts; docs/watchdog.md has the reasons. */
export interface Thresholds {
  // Those of a cluster file, see `WatchdogThresholds`.
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
  readonly failures: number;
  readonly windowFailures: number;
  readonly windowMs: number;
  readonly successes: number;
  readonly recoverAfterMs: number;
  readonly hostTimeoutMs: number;

  /** An answer that is later than this is suspicious: from here on probes follow each other by `fastIntervalMs`. */
  readonly probeLateMs: number;
  readonly fastIntervalMs: number;
  /** `recoverAfterMs` doubles with every flip within `flapWindowMs`, up to this. */
  readonly recoverMaxMs: number;
  readonly flapWindowMs: number;
  /** Between two questions for the cluster zone, through the cache and past it. */
  readonly clusterIntervalMs: number;
  readonly clusterTimeoutMs: number;
  /** Failures in a row through the cache, while the cluster DNS answers, until the cache is left. */
  readonly clusterFailures: number;
  /** Between two readings of the counters, which also renew the host's switch. */
  readonly countIntervalMs: number;
  /** Counting starts to mean something from so many requests between two readings ... */
  readonly countRequests: number;
  /** ... of so many clients; for one alone the cache is never left. */
  readonly countClients: number;
  /** Replies get lost where fewer than this share of requests have one, and fewer than this share of clients got any. */
  readonly countShare: number;
  /** Readings in a row that find replies missing until the cache is left. */
  readonly countFailures: number;
  /** Until the cache is tried again after its replies got lost, for only its use can show; doubles up to `countRetryMaxMs`. */
  readonly countRetryMs: number;
  readonly countRetryMaxMs: number;
  /** Between two complete comparisons of link, addresses and rules with what they must be. */
  readonly checkIntervalMs: number;
}

/** Those that no cluster file sets. */
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

export function thresholdsOf(given: WatchdogThresholds = {}): Thresholds {
  const told = withDefaults(given, defaults.watchdogThresholds);
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
