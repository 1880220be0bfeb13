import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

export { sleep };

/**
 * How many times longer we wait than a machine needs that has nothing else to do. Not in proportion to the load: that says
 * nothing of neighbours who take a virtual machine's processors. Only a test that fails waits that long.
 */
export const patience = 4;

/**
 * Retries until `probe` returns something other than undefined or false. When time is up, the error says what was
 * awaited and for how long, the last failure, how busy the machine is, and how the log ends of whoever is to blame.
 * @param seconds On a machine that has a processor for everybody.
 */
export async function until<T>(
  what: string,
  seconds: number,
  probe: () => Promise<T | undefined | false>,
  everyMs = 250,
  log?: () => string,
): Promise<T> {
  const started = performance.now();
  let failure: unknown;
  do {
    try {
      const got = await probe();
      if (got !== undefined && got !== false) return got;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    await sleep(everyMs);
  } while (performance.now() - started < seconds * 1000 * patience);
  const waited = ((performance.now() - started) / 1000).toFixed(1);
  const last = failure instanceof Error ? `; last failure: ${failure.message}` : "";
  throw new Error(`waited ${waited} s for ${what}${last}; ${machineLoad()}${log === undefined ? "" : endOf(log)}`);
}

/** As in /proc/loadavg: processes that run or want to, on average over 1, 5 and 15 minutes. */
function machineLoad(): string {
  const averages = loadavg().map((average) => average.toFixed(1));
  return `load ${averages.join(" ")} on ${availableParallelism()} processors`;
}

function endOf(log: () => string): string {
  try {
    return `; its log ends with:\n${log().trimEnd().split("\n").slice(-30).join("\n")}`;
  } catch (error) {
    return `; it has no log: ${(error as Error).message}`;
  }
}
