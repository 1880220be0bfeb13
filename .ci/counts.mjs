// `N passed, N failed` of vitest's JSON reports; fails when there is none, a test failed, or one was skipped.
import { existsSync, readFileSync } from "node:fs";

const reports = process.argv
  .slice(2)
  .filter(existsSync)
  .map((file) => JSON.parse(readFileSync(file, "utf8")));
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);
const passed = sum((report) => report.numPassedTests);
// A file that could not be loaded has no tests that could have failed.
const unloaded = sum(
  (report) =>
    report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length,
);
const failed = sum((report) => report.numFailedTests) + unloaded;
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);

for (const file of reports.flatMap((report) => report.testResults))
  for (const { status, fullName } of file.assertionResults)
    if (status !== "passed" && status !== "failed") console.log(`${status}: ${file.name}: ${fullName}`);
// Last, so that it is in what a log keeps.
for (const file of reports.flatMap((report) => report.testResults)) {
  if (file.status === "failed" && file.assertionResults.length === 0)
    console.log(`failed: ${file.name}: ${file.message}`);
  for (const { status, fullName, failureMessages } of file.assertionResults)
    if (status === "failed") console.log(`failed: ${file.name}: ${fullName}\n${failureMessages.join("\n")}`);
}
if (skipped > 0) console.log(`${skipped} skipped: on CI every test has what it needs`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = reports.length === 0 || failed > 0 || skipped > 0 ? 1 : 0;
