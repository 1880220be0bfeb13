import { expect } from "vitest";
import { until } from "../rig/until";

/**
 * Waits until what is there is as expected, or passes a check. When time is up, the error says what was awaited and for how
 * long, what was found last, and how busy the machine is.
 */
export async function eventually<T>(
  what: string,
  seconds: number,
  get: () => T | Promise<T>,
  expected: ((got: T) => void) | string | boolean | number | object,
  everyMs = 250,
): Promise<void> {
  const check =
    typeof expected === "function" ? (expected as (got: T) => void) : (got: T) => expect(got).toEqual(expected);
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
