/** When the watchdog leaves a listener of the cache and when it comes back; docs/watchdog.md has the reason for each default. */
export interface WatchdogThresholds {
  /**
   * Time between two probes while all is well, `100ms` to `10s`; each asks another listener, in turn.
   * @default 600ms
   */
  readonly probeInterval?: string;

  /**
   * How long to wait for the answer to a probe, `50ms` to `5s`; after that it is a miss.
   * @default 100ms
   */
  readonly probeTimeout?: string;

  /**
   * Misses of one listener in a row until it is left.
   * @default 3
   * @minimum 1
   * @maximum 100
   * @asType integer
   */
  readonly failures?: number;

  /**
   * Misses of one listener within `windowLength` that are as bad as `failures` in a row.
   * @default 10
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly windowFailures?: number;

  /**
   * The window for `windowFailures`, `1s` to `1h`.
   * @default 1m
   */
  readonly windowLength?: string;

  /**
   * Good answers in a row until a listener is taken again.
   * @default 5
   * @minimum 1
   * @maximum 100
   * @asType integer
   */
  readonly successes?: number;

  /**
   * How long a listener that was left stays left at least, `1ms` to `1m`; doubled by each flip within ten minutes, up to a minute.
   * @default 3s
   */
  readonly recoverAfter?: string;

  /**
   * How long the kernel sends the node's own processes to the cache after the watchdog last confirmed that it works, `30s` to `10m`.
   * The watchdog confirms it every 15 s.
   * @default 35s
   */
  readonly hostTimeout?: string;
}
