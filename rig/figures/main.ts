import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../repository";
import { compare } from "./compare";
import { keep, type Kept, type Run } from "./kept";
import type { Figure } from "./report.mjs";
import { commandOf, runs } from "./runs";

/** `npm run figures -- [--keep] [NAME...]`: measures and compares with figures/, or keeps what was measured last. */
function main(): void {
  const { values, positionals } = parseArgs({ options: { keep: { type: "boolean" } }, allowPositionals: true });
  const unknown = positionals.filter((name) => !Object.hasOwn(runs, name));
  if (unknown.length > 0) {
    console.error(`${unknown.join(", ")}: no such run; accepted: ${Object.keys(runs).join(", ")}, or none for all`);
    process.exitCode = 1;
    return;
  }
  const names = positionals.length > 0 ? positionals : Object.keys(runs);
  // Each goes on where one before it failed, so that one night tells all.
  for (const name of names) {
    const problems = values.keep ? keepLast(name) : measure(name);
    for (const problem of problems) console.error(`${name}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

/** Runs the command, and leaves what it printed in .cache/figures; not what a failed run did. */
function measure(name: string): string[] {
  const command = commandOf(name);
  const collected = join(repositoryRoot, ".cache/figures", `${name}.jsonl`);
  mkdirSync(join(repositoryRoot, ".cache/figures"), { recursive: true });
  rmSync(lastFile(name), { force: true });
  writeFileSync(collected, "");
  const commit = execFileSync("git", ["describe", "--always", "--dirty"], { cwd: repositoryRoot, encoding: "utf8" });
  const { status } = spawnSync(command, {
    cwd: repositoryRoot,
    shell: true,
    stdio: "inherit",
    env: { ...process.env, CLUSTER_DNS_FIGURES: collected },
  });
  const figures = readFileSync(collected, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Figure);
  rmSync(collected);
  const run: Run = { command, commit: commit.trim(), date: new Date().toISOString().slice(0, 10), figures };
  const worse = compare(read<Kept>(keptFile(name)), run);
  if (status !== 0) return [...worse, `${command} failed`];
  writeFileSync(lastFile(name), json(run));
  if (worse.length === 0) console.log(`${name}: ${figures.length} figures, none worse than the kept ones`);
  return worse.length === 0
    ? []
    : [...worse, `mend it, or accept it on a quiet machine: npm run figures -- --keep ${name}`];
}

function keepLast(name: string): string[] {
  const run = read<Run>(lastFile(name));
  if (run === undefined) return [`no run to keep; first: npm run figures -- ${name}`];
  mkdirSync(join(repositoryRoot, "figures"), { recursive: true });
  writeFileSync(keptFile(name), json(keep(read<Kept>(keptFile(name)), run)));
  return [];
}

function lastFile(name: string): string {
  return join(repositoryRoot, ".cache/figures", `${name}.json`);
}

function keptFile(name: string): string {
  return join(repositoryRoot, "figures", `${name}.json`);
}

function read<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : undefined;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

main();
