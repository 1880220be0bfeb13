import { defaults, withDefaults } from "../defaults";
import type { WatchdogThresholds } from "../props/watchdog-thresholds";
import { parseDuration } from "../syntax/duration";

/** When the watchdog acts; docs/watchdog.md has the reasons. Times are in milliseconds. */
export interface Thresholds extends Counts, Durations {
  /** An answer that is later than this is suspicious: from here on probes follow each other by `fastInterval`. */
  readonly probeLate: number;
  readonly fastInterval: number;
  /** `recoverAfter` doubles with every flip within `flapWindow`, up to this. */
  readonly recoverMax: number;
  readonly flapWindow: number;
  /** Between two questions for the cluster zone, through the cache and past it. */
  readonly clusterInterval: number;
  readonly clusterTimeout: number;
  /** Failures in a row through the cache, while the cluster DNS answers, until the cache is left. */
  readonly clusterFailures: number;
  /** Between two readings of the counters, which also refresh the host's switch. */
  readonly countInterval: number;
  /** Counting starts to mean something from so many requests between two readings ... */
  readonly countRequests: number;
  /** ... and fewer replies than this share of them are replies that get lost. */
  readonly countShare: number;
  /** Readings in a row that find replies missing until the cache is left. */
  readonly countFailures: number;
  /** Until the cache is tried again after its replies got lost, for only its use can show; doubles up to `countRetryMax`. */
  readonly countRetry: number;
  readonly countRetryMax: number;
  /** Between two complete comparisons of link, addresses and rules with what they must be. */
  readonly checkInterval: number;
}

/** Those of a cluster file, see `WatchdogThresholds`. */
type DurationKey = "probeInterval" | "probeTimeout" | "windowLength" | "recoverAfter" | "hostTimeout";
type Durations = { readonly [key in DurationKey]: number };
type Counts = Required<Omit<WatchdogThresholds, DurationKey>>;

/** Those that no cluster file sets. */
const fixed = {
  probeLate: 50,
  fastInterval: 25,
  recoverMax: 60_000,
  flapWindow: 600_000,
  clusterInterval: 10_000,
  clusterTimeout: 1_000,
  clusterFailures: 3,
  countInterval: 15_000,
  countRequests: 10,
  countShare: 0.2,
  countFailures: 2,
  countRetry: 60_000,
  countRetryMax: 1_800_000,
  checkInterval: 60_000,
};

export function thresholdsOf(given: WatchdogThresholds = {}): Thresholds {
  const { failures, windowFailures, successes, ...durations } = withDefaults(given, defaults.watchdogThresholds);
  const milliseconds = (key: DurationKey) => parseDuration(durations[key]) ?? 0;
  return {
    failures,
    windowFailures,
    successes,
    probeInterval: milliseconds("probeInterval"),
    probeTimeout: milliseconds("probeTimeout"),
    windowLength: milliseconds("windowLength"),
    recoverAfter: milliseconds("recoverAfter"),
    hostTimeout: milliseconds("hostTimeout"),
    ...fixed,
  };
}
