// `npm run bench`: what the same objects cost with other tools, one cluster and a fleet, in turns. Each is run as its
// users would: once for each cluster, unless one run can do all. The others get the finished objects, without any
// logic, so that theirs is the least that they can cost; `synth` also derives the objects and compares the files.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { reportFigure } from "../../rig/figures/report.mjs";
import { consoleProgress } from "../../rig/progress";
import { repositoryRoot } from "../../rig/repository";
import { buildTools } from "../../rig/tools";
import { environment, makeScratch } from "../scratch.mjs";
import { type BesideCluster, contenders, type Contender } from "./contenders";

const fleet = 100;
/** Of one cluster, and of a fleet. */
const rounds = { one: 15, fleet: 5 };

const scratch = makeScratch();
const out = join(scratch, "out");

async function main(): Promise<void> {
  if (spawnSync("go", ["version"]).status !== 0) {
    console.log("\nNot compared with other tools: Go, which builds them, is not on the PATH.");
    return;
  }
  await buildTools(consoleProgress(), ["helm", "kustomize", "jsonnet", "cue"]);
  const committed = readdirSync(join(repositoryRoot, "clusters")).filter((file) => /^(?!dev).*\.yaml$/.test(file));
  print(
    "One cluster, the largest",
    [{ name: "node -e 0", script: `${process.execPath} -e 0` }],
    ["admission.yaml"],
    rounds.one,
  );
  const files = Array.from({ length: fleet }, (_, i) => committed[i % committed.length] ?? "");
  print(`${fleet} clusters`, [], files, rounds.fleet);
}

function print(title: string, others: readonly Contender[], files: readonly string[], times: number): void {
  const clusters = clustersOf(files);
  const all = [...others, ...contenders(join(scratch, `sources-${files.length}`), out, clusters)];
  for (const contender of all.slice(others.length)) if (contender.isAgain !== true) expectTheSame(contender, clusters);
  const results = measure(all, times);
  const objects = clusters.reduce((sum, cluster) => sum + cluster.objects.length, 0);
  const [first] = results;
  const ours = results[others.length];
  if (!first || !ours) throw new Error("nothing was measured");
  console.log(`\n${title}, ${objects} objects, medians of ${times} rounds in turns:\n`);
  console.log(`| | wall, ms | CPU, ms | wall, compared with \`${first.name}\` |\n|---|---|---|---|`);
  for (const { name, wall, cpu } of results)
    console.log(`| ${name} | ${wall.toFixed(0)} | ${cpu.toFixed(0)} | ${(wall / first.wall).toFixed(2)} |`);
  for (const [i, { name, wall }] of results.entries())
    if (i > others.length && all[i]?.isAgain !== true)
      reportFigure({ what: `${title}, beside ${name}`, kind: "ratio", value: ours.wall / wall, unit: "x its time" });
}

/** Copies of cluster files, as `synth` renders them. */
function clustersOf(files: readonly string[]): BesideCluster[] {
  const [source, dist] = [join(scratch, `clusters-${files.length}`), join(scratch, `dist-${files.length}`)];
  mkdirSync(source);
  for (const [i, file] of files.entries())
    copyFileSync(join(repositoryRoot, "clusters", file), join(source, `c${i}.yaml`));
  const cli = join(repositoryRoot, "lib/cli/main.js");
  execFileSync(process.execPath, [cli, "synth", "--quiet", "--clusters", source, "--out", dist]);
  return files.map((_, i) => {
    const own = join(dist, `c${i}`);
    const yaml = objectFiles(own).map((path) => readFileSync(path, "utf8"));
    const objects = yaml.map((text) => parse(text) as object);
    return { name: `c${i}`, clusterFile: join(source, `c${i}.yaml`), dist: own, yaml, objects };
  });
}

/** @throws Error if what a tool writes are other objects than those of the clusters. */
function expectTheSame({ name, script }: Contender, clusters: readonly BesideCluster[]): void {
  run(script);
  const written = objectFiles(out);
  for (const cluster of clusters) {
    const objects = written
      .filter((path) => relative(out, path).split(/[/.]/, 1)[0] === cluster.name)
      .flatMap((path) => parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS() as object))
      .flat();
    if (texts(objects) !== texts(cluster.objects)) throw new Error(`${name} writes other objects of ${cluster.name}`);
  }
}

/** Files of objects to apply, which `synth`'s record is not. */
function objectFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith(".yaml") && !/\/(?:kubelet|gitops)\/|\/kustomization\.yaml$/.test(path));
}

function texts(objects: readonly object[]): string {
  return objects
    .map((object) => JSON.stringify(object, sortedKeys))
    .sort()
    .join("\n");
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function measure(all: readonly Contender[], times: number): { name: string; wall: number; cpu: number }[] {
  const measured = all.map(({ name }) => ({ name, runs: [] as { wall: number; cpu: number }[] }));
  for (let round = 0; round < times + 1; round++)
    for (const [i, { script }] of all.entries()) measured[i]?.runs.push(run(script));
  return measured.map(({ name, runs: [, ...counted] }) => ({
    name,
    wall: median(counted.map(({ wall }) => wall)),
    cpu: median(counted.map(({ cpu }) => cpu)),
  }));
}

/** Milliseconds of a script into an empty folder. The shell tells the processor time of what it ran. */
function run(script: string): { wall: number; cpu: number } {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const start = process.hrtime.bigint();
  // What bash reads for every script of this user, or because its input is a socket, is no tool's cost.
  const options = { encoding: "utf8", env: { ...environment, BASH_ENV: undefined } } as const;
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-ec", `${script}\ntimes`], options);
  const wall = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${script.slice(0, 500)}: ${stderr}`);
  const [user = 0, system = 0] = [...(stdout.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60_000 + Number(seconds) * 1000,
  );
  return { wall, cpu: user + system };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

main()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => rmSync(scratch, { recursive: true, force: true }));
