import type { Kept, KeptFigure, Run } from "./kept";
import type { Figure } from "./report.mjs";

/** A tenth is what a ratio varies by on one machine. */
const tolerated = 1.1;

/** What is worse in a run than in those that were kept, or cannot be compared with them. */
export function compare(kept: Kept | undefined, run: Run): string[] {
  const before = kept?.figures ?? [];
  const names = run.figures.map(({ what }) => what);
  return [
    ...names.filter((what, index) => names.indexOf(what) < index).map((what) => `${what}: printed twice`),
    ...before
      .filter(({ what }) => !names.includes(what))
      .map(({ what }) => `${what}: kept, but not printed by this run`),
    ...run.figures.flatMap((figure) => {
      const same = before.find(({ what }) => what === figure.what);
      return same ? worse(same, figure) : [`${figure.what}: ${text(figure)}, which nobody has kept yet`];
    }),
  ];
}

function worse({ runs }: KeptFigure, figure: Figure): string[] {
  const values = runs.map(({ value }) => value).sort((a, b) => a - b);
  const limit =
    figure.kind === "lost"
      ? { most: values.at(-1) ?? 0, is: "the most that a kept run lost" }
      : { most: (values[Math.floor(values.length / 2)] ?? 0) * tolerated, is: "a tenth over the kept median" };
  if (figure.value <= limit.most) return [];
  return [`${figure.what}: ${text(figure)}; accepted: at most ${Number(limit.most.toPrecision(3))}, ${limit.is}`];
}

function text({ value, of, unit }: Figure): string {
  return `${value}${of === undefined ? "" : ` of ${of}`} ${unit}`;
}
