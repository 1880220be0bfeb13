import type { Figure } from "./report.mjs";

/** What a run printed, from which code. */
export interface Run {
  readonly command: string;
  /** As `git describe` gives it. */
  readonly commit: string;
  /** `2026-11-30` */
  readonly date: string;
  readonly figures: readonly Figure[];
}

/** A file of figures/: what the last runs that somebody kept printed. */
export interface Kept {
  readonly command: string;
  readonly figures: readonly KeptFigure[];
}

export interface KeptFigure extends Pick<Figure, "what" | "kind" | "unit"> {
  /** The oldest first. */
  readonly runs: readonly (Pick<Figure, "value" | "of"> & Pick<Run, "commit" | "date">)[];
}

/** Losses vary from run to run; what none of so many runs lost is a change for the worse. */
const keptRuns = 10;

/** The kept figures with those of one more run; a figure that it has no longer goes. */
export function keep(kept: Kept | undefined, { command, commit, date, figures }: Run): Kept {
  return {
    command,
    figures: figures.map(({ what, kind, unit, value, of }) => {
      const before = kept?.figures.find((each) => each.what === what)?.runs ?? [];
      return { what, kind, unit, runs: [...before, { value, of, commit, date }].slice(-keptRuns) };
    }),
  };
}
