// Runs suites, those after a failed one too, so that one run tells all. Ends with a table of what took how long, and the
// counts of all tests: `.ci/run`, `npm run test:nightly`.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { counted } from "./suite-counts.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A command; its name is what the table calls it. */
export function run(name, command) {
  return { name, command };
}

/** An npm script. */
export function npm(script, ...args) {
  return run([script, ...args].join(" "), ["npm", "run", script, ...(args.length > 0 ? ["--", ...args] : [])]);
}

/** An npm script that runs vitest: its tests are counted. */
export function vitest(script, ...args) {
  return {
    name: shortened([script, ...args]),
    script,
    args,
    command: ["npm", "run", script, "--", ...args, "--reporter=default", "--reporter=json"],
    hasTests: true,
  };
}

/**
 * Runs the steps one after the other, and ends this process. A list of lists in place of a step: each of these beside
 * the others. Each yields the processor to those before it, but not so much that a busy machine starves it; all but the
 * first print once they have ended.
 * @param logs A folder for what each prints, which stays until the next run. The table names the log of what failed.
 */
export async function runSuites(stages, logs) {
  const folder = resolve(logs);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const finished = [];
  const running = new Set();
  const started = Date.now();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.once(signal, () => {
      for (const step of running) {
        step.child.kill();
        finished.push({ ...step, seconds: since(step.began), status: `ended by ${signal}` });
      }
      finish(128 + constants.signals[signal]);
    });

  for (const stage of stages) {
    const lanes = Array.isArray(stage) ? stage : [[stage]];
    await Promise.all(lanes.map(inOrder));
    if (finished.some((step) => step.isNeeded && step.status !== "ok")) break;
  }
  finish(finished.every(({ status }) => status === "ok") ? 0 : 1);

  async function inOrder(steps, lane) {
    for (const step of steps) await runStep(step, lane);
  }

  async function runStep(step, lane) {
    const isBeside = lane > 0;
    const file = join(folder, `${finished.length + running.size + 1}-${step.name.replaceAll(/[^\w.]+/g, "-")}`);
    const [report, log] = [`${file}.json`, `${file}.log`];
    const argv = [...step.command, ...(step.hasTests ? [`--outputFile.json=${report}`] : [])];
    const [command, ...args] = isBeside ? ["nice", "-n", String(5 * lane), ...argv] : argv;
    console.log(`\n=== ${step.name}${isBeside ? ", beside" : ""}`);
    // A file and no pipe, which something left running would keep open.
    const output = openSync(log, "a");
    const stopFollowing = isBeside ? undefined : follow(log);
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", output, output] });
    const current = { ...step, report, log, child, began: Date.now() };
    running.add(current);
    const status = await new Promise((end) => {
      child.on("error", (error) => end(error.message));
      child.on("close", (code, signal) => end(code === 0 ? "ok" : `failed (${signal ?? code})`));
    });
    running.delete(current);
    finished.push({ ...current, seconds: since(current.began), status });
    closeSync(output);
    stopFollowing?.();
    if (isBeside) console.log(`\n=== ${step.name}, which ran beside, printed:\n${readFileSync(log, "utf8")}`);
  }

  function finish(exitCode) {
    const { problems, slowFiles, counts, ofRun } = counted(finished.filter(({ hasTests }) => hasTests));
    const rows = finished.map(({ name, seconds, status, log }) => {
      const said = status === "ok" ? status : `${status}: ${relative(process.cwd(), log)}`;
      return [minutes(seconds), name, ofRun.get(name) ?? "", said];
    });
    rows.push([minutes(since(started)), "all of it", "", ""]);
    for (const line of [...problems, "", ...table(rows), "", ...slowFiles, "", counts]) console.log(line);
    process.exit(problems.length > 0 ? exitCode || 1 : exitCode);
  }
}

/** Prints what a log gets, until it is told to stop. */
function follow(log) {
  const file = openSync(log, "r");
  const print = () => {
    for (;;) {
      const bytes = Buffer.alloc(65_536);
      const count = readSync(file, bytes);
      if (count === 0) return;
      process.stdout.write(bytes.subarray(0, count));
    }
  };
  const timer = setInterval(print, 200);
  return () => {
    clearInterval(timer);
    print();
    closeSync(file);
  };
}

/** Without the names of many files. */
function shortened(words) {
  const files = words.filter((word) => word.endsWith(".ts"));
  if (files.length < 4) return words.join(" ");
  return `${words.filter((word) => !files.includes(word)).join(" ")} (${files.length} files)`;
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

function since(began) {
  return (Date.now() - began) / 1000;
}

function minutes(seconds) {
  return `${String(Math.floor(seconds / 60)).padStart(3)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
