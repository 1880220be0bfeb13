import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../rig/repository";

/** What Prometheus answered over some minutes. */
export interface Recording {
  readonly seconds: number;
  /** Between two values of a series. */
  readonly step: number;
  /** What was done to the cluster, in seconds from the start. */
  readonly events: readonly { readonly at: number; readonly what: string }[];
  /** By the panels' expressions. */
  readonly series: Readonly<Record<string, readonly RecordedSeries[]>>;
}

export interface RecordedSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** From the start on; null where there is none. */
  readonly values: readonly (number | null)[];
}

const file = join(repositoryRoot, "docs/panels/recorded.json");

export function readRecording(): Recording {
  return JSON.parse(readFileSync(file, "utf8")) as Recording;
}

/** One series a line, for those who read the difference. */
export function writeRecording({ series, ...rest }: Recording): void {
  const expressions = Object.entries(series).map(
    ([expr, ofIt]) => `${JSON.stringify(expr)}: [\n${ofIt.map((each) => JSON.stringify(each)).join(",\n")}\n]`,
  );
  writeFileSync(file, `${JSON.stringify(rest).slice(0, -1)},\n"series": {\n${expressions.join(",\n")}\n}}\n`);
}
