import { setTimeout as sleep } from "node:timers/promises";

/** Undefined: it could not be asked. */
export type Result = boolean | undefined;

/** Enough to reach a live pod of the cluster DNS if half of them are dead: each attempt uses a new source port. */
const attempts = 4;

/** An answer takes a few milliseconds; do not make clusters of thousands of nodes answer four times for nothing. */
const nextAttemptMs = 150;

/** Asks, and asks again until a good answer arrives or the attempts are used up; any good answer counts. */
export async function anyOf(ask: () => Promise<Result>): Promise<Result> {
  const results: Promise<Result>[] = [];
  for (let i = 0; i < attempts; i++) {
    results.push(ask());
    if ((await Promise.race([firstGood(results), sleep(nextAttemptMs)])) === true) return true;
  }
  return firstGood(results);
}

/** True as soon as one result is; otherwise whatever is known once all have settled. */
async function firstGood(results: readonly Promise<Result>[]): Promise<Result> {
  const good = results.map(async (result) => (await result) || Promise.reject(new Error("not good")));
  try {
    return await Promise.any(good);
  } catch {
    return (await Promise.all(results)).includes(false) ? false : undefined;
  }
}
