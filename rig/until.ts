import { setTimeout as sleep } from "node:timers/promises";

export { sleep };

/**
 * Retries until `probe` returns something other than undefined or false. When time is up, the error says what was
 * awaited and the last failure.
 */
export async function until<T>(
  what: string,
  seconds: number,
  probe: () => Promise<T | undefined | false>,
  everyMs = 250,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
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
  } while (Date.now() < deadline);
  const last = failure instanceof Error ? `; last failure: ${failure.message}` : "";
  throw new Error(`waited ${seconds} seconds for ${what}${last}`);
}
