import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { inTurn } from "../../../src/model/syntax/in-turn";

it("gives results in order, a limited number at a time, and waits for a slow one only at the end", async () => {
  const items = Array.from({ length: 1000 }, (_, i) => i);
  let [now, most, begun, begunBefore] = [0, 0, 0, 0];
  const results = await inTurn(items, 100, async (item) => {
    begun++;
    most = Math.max(most, ++now);
    // The first is done once all others have begun.
    while (item === 0 && begun < items.length) await sleep(1);
    if (item === 0) begunBefore = begun;
    await sleep(0);
    now--;
    return 2 * item;
  });
  expect(results).toEqual(items.map((item) => 2 * item));
  expect({ most, begunBefore, now }).toEqual({ most: 100, begunBefore: items.length, now: 0 });
});

it("ends with the first failure", async () => {
  await expect(inTurn([1, 2], 2, (item) => Promise.reject(new Error(`no ${item}`)))).rejects.toThrow("no 1");
});
