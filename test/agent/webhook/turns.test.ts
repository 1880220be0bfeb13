import { expect, it } from "vitest";
import { Turns } from "../../../src/agent/webhook/turns";

it("an address's work waits behind its own, but does not hold up others'; a failure stops nothing", async () => {
  const turns = new Turns();
  const done: string[] = [];
  const ask = (address: string, name: string) => turns.run(address, () => void done.push(name));
  const all = [1, 2, 3, 4].map((i) => ask("a", `a${i}`));
  const failing = turns.run("b", () => {
    throw new Error("as the test wants it");
  });
  all.push(ask("b", "b1"), ask("c", "c1"));
  await expect(failing).rejects.toThrow("as the test wants it");
  await Promise.all(all);
  // The first began when no one else was waiting.
  expect(done).toEqual(["a1", "a2", "c1", "a3", "b1", "a4"]);
});

it("gives other work its turn between two pieces", async () => {
  const turns = new Turns();
  const done: string[] = [];
  setImmediate(() => done.push("the event loop"));
  await Promise.all([1, 2].map((i) => turns.run("a", () => void done.push(`a${i}`))));
  expect(done).toEqual(["a1", "the event loop", "a2"]);
});
