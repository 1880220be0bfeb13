// `N passed, N failed` of vitest's JSON reports; fails when there is none, a test failed, or one was skipped.
import { existsSync, readFileSync } from "node:fs";

const reports = process.argv
  .slice(2)
  .filter(existsSync)
  .map((file) => JSON.parse(readFileSync(file, "utf8")));
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);
const files = reports.flatMap((report) => report.testResults);
// A file that could not be loaded, or whose tests were all skipped because what they need could not be set up, has none that failed.
const brokenFiles = files.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
);
const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests) + brokenFiles.length;
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);

for (const { name, assertionResults } of files)
  for (const { status, fullName } of assertionResults)
    if (status !== "passed" && status !== "failed") console.log(`${status}: ${name}: ${fullName}`);
// Last, so that it is in what a log keeps.
for (const { name, assertionResults } of files)
  for (const { status, fullName, failureMessages } of assertionResults)
    if (status === "failed") console.log(`failed: ${name}: ${fullName}\n${failureMessages.join("\n")}`);
for (const { name, message } of brokenFiles) console.log(`failed: ${name}: ${message || "no test could be run"}`);
if (skipped > 0) console.log(`${skipped} skipped: on CI every test has what it needs`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = reports.length === 0 || failed > 0 || skipped > 0 ? 1 : 0;
