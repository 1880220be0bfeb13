import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importScript } from "./repository";
import { temporaryFolder } from "./temporary-folder";

interface Counts {
  readonly problems: readonly string[];
  readonly slowFiles: readonly string[];
}

const folder = temporaryFolder("suite-counts");

const passed = { status: "passed", fullName: "passes", failureMessages: [] };
const failed = { status: "failed", fullName: "fails", failureMessages: ["expected 1"] };
const skipped = { status: "skipped", fullName: "lacks something", failureMessages: [] };

const left = [/^skipped: a\.test\.ts: lacks something$/, /^1 skipped/];

it.each<[what: string, status: string, files: object[] | undefined, problems: (string | RegExp)[], counts: string]>([
  ["what passed", "ok", [file("passed", passed, passed)], [], "2 passed, 0"],
  ["what failed", "failed", [file("failed", passed, failed)], ["failed: a.test.ts: fails\nexpected 1"], "1 passed, 1"],
  ["no set-up", "failed", [file("failed", skipped)], [...left, /^failed: a\.test\.ts: no cluster$/], "0 passed, 1"],
  ["a failed run", "failed", [file("passed", passed)], ["failed: suite: failed, although no test did"], "1 passed, 1"],
  ["no report", "killed", undefined, ["failed: suite: killed, although no test did"], "0 passed, 1"],
  ["a skipped test", "ok", [file("passed", passed, skipped)], left, "1 passed, 0"],
])("counts %s", async (_what, status, testResults, problems, count) => {
  const counts = `${count} failed`;
  const report = join(folder, `${Math.random()}.json`);
  if (testResults !== undefined) writeFileSync(report, JSON.stringify({ testResults }));
  const { counted } = await importScript<{ counted(runs: readonly object[]): Counts }>("suite-counts.mjs");
  const all = counted([{ name: "suite", status, report }]);
  expect(all).toMatchObject({ counts, ofRun: new Map([["suite", counts]]) });
  expect(all.problems).toEqual(problems.map((each) => (typeof each === "string" ? each : expect.stringMatching(each))));
  expect(all.slowFiles).toEqual((testResults ?? []).map(() => "   61 s  a.test.ts"));
});

/** A file that took 61 seconds, as vitest reports it. */
function file(status: string, ...assertionResults: readonly object[]): object {
  return { name: "a.test.ts", status, message: "no cluster", startTime: 1000, endTime: 62_000, assertionResults };
}
