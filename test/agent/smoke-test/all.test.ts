import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { all } from "../../../src/agent/smoke-test/all";

it("gives results in order, a limited number at a time, and waits for a slow one only at the end", async () => {
  const items = Array.from({ length: 1000 }, (_, i) => i);
  let running = 0;
  let most = 0;
  let begun = 0;
  let begunBefore = 0;
  const results = await all(items, async (item) => {
    begun++;
    most = Math.max(most, ++running);
    // The first is done once nearly all others are.
    while (item === 0 && begun < items.length) await sleep(1);
    if (item === 0) begunBefore = begun;
    await sleep(0);
    running--;
    return 2 * item;
  });
  expect(results).toEqual(items.map((item) => 2 * item));
  expect(most).toBe(100);
  expect(begunBefore).toBe(items.length);
});
