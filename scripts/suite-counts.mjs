import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

/**
 * What runs of vitest say together, by their JSON reports. A run that fails although no test does counts as one that
 * failed; a test that was skipped is a problem, because on CI every test has what it needs.
 * @param runs Each with a `name`, a `status` that is "ok" or not, and the path of its `report`.
 */
export function counted(runs) {
  const all = runs.map(countedOne);
  const skipped = all.flatMap((each) => each.skipped);
  return {
    problems: [
      ...skipped,
      ...(skipped.length > 0 ? [`${skipped.length} skipped: on CI every test has what it needs`] : []),
      // Last, so that it is in what a log keeps.
      ...all.flatMap(({ failed }) => failed.map((failure) => `failed: ${failure}`)),
    ],
    slowFiles: all
      .flatMap(({ files }) => files.flatMap(slow))
      .toSorted()
      .toReversed(),
    counts: counts(all),
    ofRun: new Map(all.map((each) => [each.name, counts([each])])),
  };
}

function countedOne({ name, status, report }) {
  const files = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [];
  const tests = files.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map((each) => ({ file, ...each })),
  );
  const is = (wanted) => tests.filter((test) => test.status === wanted);
  const failed = [
    ...is("failed").map((test) => `${test.file}: ${test.fullName}\n${test.failureMessages.join("\n")}`),
    ...files.filter(isBroken).map((file) => `${file.name}: ${file.message || "no test could be run"}`),
  ];
  if (status !== "ok" && failed.length === 0) failed.push(`${name}: ${status}, although no test did`);
  return {
    name,
    files,
    passed: is("passed").length,
    failed,
    skipped: tests
      .filter((test) => test.status !== "passed" && test.status !== "failed")
      .map((test) => `${test.status}: ${test.file}: ${test.fullName}`),
  };
}

/** A file that could not be loaded, or whose tests were all skipped because what they need could not be set up. */
function isBroken({ status, assertionResults }) {
  return status === "failed" && assertionResults.every((test) => test.status !== "failed");
}

function counts(runs) {
  const sum = (count) => runs.reduce((total, run) => total + count(run), 0);
  return `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed.length)} failed`;
}

/** A file that took more than a minute, as a line. */
function slow({ name, startTime, endTime }) {
  const seconds = Math.round((endTime - startTime) / 1000);
  return seconds < 60 ? [] : [`${String(seconds).padStart(5)} s  ${relative(process.cwd(), name)}`];
}
