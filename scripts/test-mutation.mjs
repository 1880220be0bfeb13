// `npm run test:mutation [-- [--since COMMIT] [--sample PERCENT] [--seed N] ROOM...]`: changes operators, constants and
// conditions of rooms of src/model one at a time, and runs the room's tests. Prints how many changes they find, and those
// that they do not. Exits with 1 where a room is below what docs/testing.md says. With --since: only rooms whose code or
// tests differ from that commit's. A sample is of pieces of some lines, and the same each time.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const rooms = ["query-path", "packet-rules", "corefile", "admission", "check"];
const leastPercent = 85;
const linesOfPiece = 8;

const root = fileURLToPath(new URL("..", import.meta.url));
const stryker = join(root, "rig/mutation/node_modules/@stryker-mutator");
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: "string" },
    sample: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
  },
});
const percentOfLines = Number(values.sample);
const unknown = wanted.filter((room) => !rooms.includes(room));
if (unknown.length > 0) {
  console.error(`got ${unknown.join(", ")}, accepted: ${rooms.join(", ")}`);
  process.exit(2);
}
const chosen = (wanted.length > 0 ? wanted : rooms).filter((room) => values.since === undefined || hasChanged(room));
if (chosen.length === 0) {
  console.log(`no room has changed since ${values.since}`);
  process.exit();
}
// vitest is the repository's own: another one could not read its configuration.
if (!existsSync(stryker)) run("npm", ["ci", "--legacy-peer-deps", "--ignore-scripts", "--prefix", "rig/mutation"]);

const summary = chosen.map((room) => {
  const mutants = mutate(room);
  const survivors = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  for (const { file, location, mutatorName, replacement } of survivors)
    console.log(`${file}:${location.start.line}:${location.start.column}: ${mutatorName}: ${oneLine(replacement)}`);
  const killed = mutants.length - survivors.length;
  const percent = (100 * killed) / mutants.length;
  if (percent < leastPercent) process.exitCode = 1;
  return `${room}: ${killed} of ${mutants.length} killed (${percent.toFixed(1)}%)`;
});
console.log(`\n${summary.join("\n")}`);

/** Also what is not committed yet. */
function hasChanged(room) {
  const args = ["diff", "--quiet", values.since, "--", `src/model/${room}`, `test/model/${room}`];
  const { status, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status > 1) throw new Error(stderr);
  return status === 1;
}

/** The mutants of a room that could be run. */
function mutate(room) {
  const folder = join(root, ".cache/mutation");
  mkdirSync(folder, { recursive: true });
  const [config, report] = [join(folder, `${room}.conf.json`), join(folder, `${room}.json`)];
  writeFileSync(config, JSON.stringify(options(room, report)));
  // One worker that yields: what is measured is tests, not time.
  run("nice", [process.execPath, join(stryker, "core/bin/stryker.js"), "run", config], { MUTATION_ROOM: room });
  const { files } = JSON.parse(readFileSync(report, "utf8"));
  return Object.entries(files)
    .flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, ...mutant })))
    .filter(({ status }) => !["Ignored", "CompileError", "RuntimeError"].includes(status));
}

function options(room, report) {
  return {
    testRunner: "vitest",
    plugins: [join(stryker, "vitest-runner/dist/src/index.js")],
    vitest: { configFile: "rig/mutation/vitest.config.mts", related: false },
    mutate: sourcesOf(room).flatMap(sampled),
    // Tests should not be about the words of messages.
    mutator: { excludedMutations: ["StringLiteral"] },
    coverageAnalysis: "perTest",
    concurrency: 1,
    timeoutMS: 20_000,
    tsconfigFile: "none", // it reads one with the TypeScript of before 7
    tempDirName: ".cache/mutation/sandbox",
    ignorePatterns: ["/.cache", "/dist", "/lib", "/docs", "/bench", "/rig", "/images", "!/rig/mutation/*.mts"],
    reporters: ["json"],
    jsonReporter: { fileName: report },
    warnings: { slow: false },
  };
}

function sourcesOf(room) {
  return readdirSync(join(root, "src/model", room), { recursive: true })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => join("src/model", room, name));
}

/** The file, or those of its pieces that are in the sample: changes that go beyond a piece are in none. */
function sampled(file) {
  if (percentOfLines >= 100) return [file];
  const count = readFileSync(join(root, file), "utf8").split("\n").length;
  const pieces = Array.from({ length: Math.ceil(count / linesOfPiece) }, (_, i) => i * linesOfPiece + 1);
  return pieces
    .filter((first) => isIn(`${values.seed} ${file} ${first}`))
    .map((first) => `${file}:${first}-${first + linesOfPiece - 1}`);
}

function isIn(piece) {
  return createHash("sha256").update(piece).digest().readUInt16BE() % 100 < percentOfLines;
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, " ").slice(0, 120);
}

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
}
