/** When the watchdog leaves a listener of the cache and when it comes back; docs/watchdog.md has the reason of each default. */
export interface WatchdogThresholds {
  /**
   * Milliseconds between two probes while all is well; each asks another listener, in turn.
   * @default 600
   * @minimum 100
   * @maximum 10000
   * @asType integer
   */
  readonly probeInterval?: number;

  /**
   * Milliseconds until an answer that is not there is a miss.
   * @default 100
   * @minimum 50
   * @maximum 5000
   * @asType integer
   */
  readonly probeTimeout?: number;

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
   * Milliseconds.
   * @default 60000
   * @minimum 1000
   * @maximum 3600000
   * @asType integer
   */
  readonly windowLength?: number;

  /**
   * Good answers in a row until a listener is taken again.
   * @default 5
   * @minimum 1
   * @maximum 100
   * @asType integer
   */
  readonly successes?: number;

  /**
   * Milliseconds after leaving a listener before which it is not taken again; doubled by each flip within ten minutes, up to a minute.
   * @default 3000
   * @minimum 1
   * @maximum 60000
   * @asType integer
   */
  readonly recoverAfter?: number;

  /**
   * Milliseconds after which the kernel leads the node's own processes past the cache when no watchdog has said that it works; it says so every 15 s.
   * @default 35000
   * @minimum 30000
   * @maximum 600000
   * @asType integer
   */
  readonly hostTimeout?: number;
}
