import type { Duration } from "./values";

/**
 * When the watchdog takes a listener of the cache out of use and when it brings it back; docs/watchdog.md has the
 * reason for each default.
 */
export interface WatchdogThresholds {
  /**
   * Time between two probes, `100ms` to `10s`; each probes another listener, in turn. Three times as long while all is
   * well and the kernel shows whether the cache hangs.
   * @default 600ms
   * @formatMinimum 100ms
   * @formatMaximum 10s
   */
  readonly probeInterval?: Duration;

  /**
   * How long to wait for the answer to a probe, `50ms` to `5s`; after that it counts as a miss.
   * @default 100ms
   * @formatMinimum 50ms
   * @formatMaximum 5s
   */
  readonly probeTimeout?: Duration;

  /**
   * Consecutive misses that take a listener out of use.
   * @default 3
   * @minimum 1
   * @maximum 100
   * @asType integer
   */
  readonly failures?: number;

  /**
   * Misses of one listener within `windowLength` that count as much as `failures` in a row.
   * @default 10
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly windowFailures?: number;

  /**
   * The window for `windowFailures`, `1s` to `1h`.
   * @default 1m
   * @formatMinimum 1s
   * @formatMaximum 1h
   */
  readonly windowLength?: Duration;

  /**
   * Consecutive good answers that bring a listener back into use.
   * @default 5
   * @minimum 1
   * @maximum 100
   * @asType integer
   */
  readonly successes?: number;

  /**
   * Minimum time that a listener stays out of use, `1ms` to `1m`; each flip within ten minutes doubles it, up to a
   * minute.
   * @default 3s
   * @formatMinimum 1ms
   * @formatMaximum 1m
   */
  readonly recoverAfter?: Duration;

  /**
   * How long the kernel sends the node's own processes to the cache after the watchdog last showed itself, `30s` to
   * `10m`. It does so every `probeInterval`. With nftables, the kernel leads past a cache that answers nobody meanwhile.
   * @default 35s
   * @formatMinimum 30s
   * @formatMaximum 10m
   */
  readonly hostTimeout?: Duration;
}
