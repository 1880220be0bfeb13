import { expect, it } from "vitest";
import { atOnce, inTurn } from "../../src/live/in-turn";

it("works on each once, in order, and on no more than may be at once", async () => {
  const items = Array.from({ length: 100 }, (_, i) => i);
  const begun: number[] = [];
  let [now, most] = [0, 0];
  await inTurn(items, async (item) => {
    begun.push(item);
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
  });
  expect({ begun, most, now }).toEqual({ begun: items, most: atOnce, now: 0 });
});

it("ends with the first failure", async () => {
  await expect(inTurn([1, 2], (item) => Promise.reject(new Error(`no ${item}`)))).rejects.toThrow("no 1");
});
