import { expect, it } from "vitest";
import { summarize, type Query } from "../../../rig/load/report";
import { loadText } from "../../../rig/load/text";

/** A query every 2 ms, all from different ports unless given. */
function queries(count: number, changed: Readonly<Record<number, Partial<Query>>> = {}): Query[] {
  return Array.from({ length: count }, (_, index) => {
    const failed = changed[index]?.failure !== undefined;
    const query = { sentMs: 2 * index, tookMs: failed ? 5000 : 1, port: 20_000 + index };
    return { ...query, ...(failed ? {} : { answer: "192.0.2.1" }), ...changed[index] };
  });
}

it("says that nothing was lost, and of how many queries", () => {
  expect(loadText(summarize({ startedAt: 0, queries: queries(1001), skipped: 0 }))).toBe(
    "0 of 1,001 queries lost, in 2.0 s; answers took 1 ms (p50), 1 ms (p99), 1 ms (max)",
  );
});

it("separates losses of flows known to the kernel from losses of new ones, and says when", () => {
  const lost = { failure: "timeout" };
  // the last comes from a port that asked half a second earlier
  const lostOnes = { 100: lost, 101: lost, 600: { ...lost, port: 20_350 } };
  const report = summarize({ startedAt: 0, queries: queries(1001, lostOnes), skipped: 12 });
  expect(report).toMatchObject({ sent: 1001, lost: 3, lostOfNewFlows: 2, longestMs: 4, windowMs: 1002 });
  expect(loadText(report)).toBe(
    "3 of 1,001 queries lost (new flows: 2, known flows: 1), within 1002 ms, in 2.0 s; timeout: 3; " +
      "2 in 4 ms from 0.20 s on, 1 in 2 ms from 1.20 s on; 12 more never sent, as the generator itself was not scheduled; " +
      "answers took 1 ms (p50), 1 ms (p99), 1 ms (max)",
  );
});

it.each([
  { asked: [0], again: 29_999, isNew: false },
  { asked: [0], again: 30_001, isNew: true },
  { asked: [0, 2001], again: 122_000, isNew: false },
  { asked: [0, 2001], again: 122_002, isNew: true },
  { asked: [0, 1999], again: 32_000, isNew: true },
])("knows how long the kernel remembers a port: asked at $asked, again at $again", ({ asked, again, isNew }) => {
  const query = { port: 20_000, tookMs: 1 };
  const before = asked.map((sentMs) => ({ ...query, sentMs, answer: "192.0.2.1" }));
  const lost = { ...query, sentMs: again, failure: "timeout" };
  const report = summarize({ startedAt: 0, queries: [...before, lost], skipped: 0 });
  expect(report).toMatchObject({ lost: 1, lostOfNewFlows: isNew ? 1 : 0 });
});
