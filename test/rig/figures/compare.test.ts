import { describe, expect, it } from "vitest";
import { compare } from "../../../rig/figures/compare";
import { keep, type Kept, type Run } from "../../../rig/figures/kept";
import type { Figure } from "../../../rig/figures/report.mjs";

const run = (...figures: Figure[]): Run => ({ command: "npm run x", commit: "abc", date: "2026-11-30", figures });
const lost = (value: number): Figure => ({ what: "roll", kind: "lost", value, of: 1000, unit: "queries lost" });
const ratio = (value: number): Figure => ({ what: "synth", kind: "ratio", value, unit: "x `node -e 0`" });
const keptOf = (...figures: Figure[]) =>
  figures.reduce<Kept | undefined>((kept, figure) => keep(kept, run(figure)), undefined);

describe("losses", () => {
  it("are worse if no kept run lost as many", () => {
    expect(compare(keptOf(lost(2), lost(0)), run(lost(2)))).toEqual([]);
    expect(compare(keptOf(lost(2), lost(0)), run(lost(3)))).toEqual([
      "roll: 3 of 1000 queries lost; accepted: at most 2, the most that a kept run lost",
    ]);
    expect(compare(keptOf(lost(0)), run(lost(1)))).toHaveLength(1);
  });

  it("that only old runs had are forgotten", () => {
    const many = Array.from({ length: 10 }, () => lost(1));
    expect(compare(keptOf(lost(9), ...many), run(lost(9)))).toHaveLength(1);
    expect(compare(keptOf(lost(9), ...many.slice(1)), run(lost(9)))).toEqual([]);
  });
});

it("ratios are worse by more than a tenth of the kept median", () => {
  const kept = keptOf(ratio(2), ratio(5), ratio(1.9));
  expect(compare(kept, run(ratio(2.2)))).toEqual([]);
  expect(compare(kept, run(ratio(2.21)))).toEqual([
    "synth: 2.21 x `node -e 0`; accepted: at most 2.2, a tenth over the kept median",
  ]);
});

it("what cannot be compared is told of: nothing passes because nobody has kept it, or because a run has lost it", () => {
  expect(compare(undefined, run(lost(0)))).toEqual(["roll: 0 of 1000 queries lost, which nobody has kept yet"]);
  expect(compare(keptOf(lost(0)), run(ratio(1)))).toEqual([
    "roll: kept, but not printed by this run",
    "synth: 1 x `node -e 0`, which nobody has kept yet",
  ]);
  expect(compare(keptOf(lost(0)), run())).toHaveLength(1);
  expect(compare(keptOf(lost(0)), run(lost(0), lost(0)))).toEqual(["roll: printed twice"]);
});

it("keeps from which commit each value is, and only what the last run has", () => {
  const kept = keep(keptOf(lost(2)), { ...run(lost(0), ratio(2)), commit: "def" });
  expect(kept.figures.map(({ what, runs }) => [what, runs.map(({ value, commit }) => `${value} ${commit}`)])).toEqual([
    ["roll", ["2 abc", "0 def"]],
    ["synth", ["2 def"]],
  ]);
  expect(keep(kept, run(ratio(2))).figures.map(({ what }) => what)).toEqual(["synth"]);
});
