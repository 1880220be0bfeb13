import { setTimeout as sleep } from "node:timers/promises";

/** Undefined: it could not be asked. */
export type Result = boolean | undefined;

/** Enough to meet a pod of the cluster DNS that is alive where half of them are dead: each attempt has a source port of its own. */
const attempts = 4;

/** An answer takes a few milliseconds; a cluster of thousands of nodes should not be asked four times for nothing. */
const nextAttemptMs = 150;

/** Asks, and asks again while no good answer has come; any good one counts. */
export async function anyOf(ask: () => Promise<Result>): Promise<Result> {
  const results: Promise<Result>[] = [];
  for (let i = 0; i < attempts; i++) {
    results.push(ask());
    if ((await Promise.race([firstGood(results), sleep(nextAttemptMs)])) === true) return true;
  }
  return firstGood(results);
}

/** True as soon as one is; otherwise what is known when all have ended. */
async function firstGood(results: readonly Promise<Result>[]): Promise<Result> {
  const good = results.map(async (result) => (await result) || Promise.reject(new Error("not good")));
  try {
    return await Promise.any(good);
  } catch {
    return (await Promise.all(results)).includes(false) ? false : undefined;
  }
}
