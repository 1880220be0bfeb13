import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { patiently, whoStillAsks } from "../../../src/agent/cleanup/cleanup";

const log = pino({ enabled: false });

/** Gives one after the other; fails in place of an error. */
function reading(...all: readonly (number | Error)[]): () => Promise<number> {
  const rest = [...all];
  return async () => {
    const next = rest.shift();
    if (typeof next === "number") return next;
    throw next ?? new Error("nothing is left to read");
  };
}

const busy = new Error("busy");

describe("whoever still asks at the link-local address is found", () => {
  const got = (packets: number) => `169.254.20.10 got ${packets} packets in the last 0.01 seconds`;

  it.each<[what: string, readings: readonly (number | Error)[], found: string | undefined]>([
    ["nobody", [7, 7], undefined],
    ["who asks between two readings", [7, 12], got(5)],
    ["who asked before a reading that failed", [7, busy, busy, 12], got(5)],
    ["who asked after the counters began anew", [7, 2], got(2)],
    ["nobody, and the counters began anew", [7, 0], undefined],
  ])("%s", async (_, readings, found) => {
    const read = reading(...readings);
    const count = () => patiently(read, log, 0);
    const watch = { addresses: ["169.254.20.10"], watchSeconds: 0.01, count, leadPastCache: async () => false };
    expect(await whoStillAsks(watch)).toBe(found);
  });

  it.each<[what: string, readings: readonly number[], writes: boolean, found: string | undefined]>([
    ["who asks between two intervals", [0, 0, 7], false, got(7)],
    ["who asks after the rules were written anew", [7, 7, 0, 7], true, got(7)],
  ])("%s", async (_, readings, writes, found) => {
    const count = reading(...readings);
    const watch = { addresses: ["169.254.20.10"], watchSeconds: 0.02, count, leadPastCache: async () => writes };
    expect(await whoStillAsks(watch, 0.01)).toBe(found);
  });

  it("not by counters that cannot be read", async () => {
    await expect(patiently(reading(busy, busy, busy, 1), log, 0)).rejects.toThrow("busy");
  });
});
