import { until } from "../rig/until";

/**
 * Waits until a check of what is there passes. When time is up, the error says what was awaited and for how long, what the
 * check found last, and how busy the machine is.
 */
export async function eventually<T>(
  what: string,
  seconds: number,
  get: () => T | Promise<T>,
  check: (got: T) => void,
  everyMs = 250,
): Promise<void> {
  await until(
    what,
    seconds,
    async () => {
      check(await get());
      return true;
    },
    everyMs,
  );
}
