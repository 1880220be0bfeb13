// `npm run bench`: what a synthesis costs, as ratios of interleaved runs on one machine; measures the product as
// shipped.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { reportFigure } from "../rig/figures/report.mjs";
import { environment, makeScratch } from "./scratch.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "lib/cli/main.js");
// Reports its own CPU time and peak memory on exit, whatever it runs.
const measure = join(root, "bench/measure.cjs");
const scratch = makeScratch();
const rounds = 15;

try {
  console.log(
    `Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}. Medians of ${rounds} rounds taken in turn.\n`,
  );
  startUp();
  console.log();
  scale();
} finally {
  rmSync(scratch, { recursive: true });
}

/** One cluster, from scratch, against a process that does nothing. */
function startUp() {
  const synth = (cluster) => {
    const folder = fresh(cluster);
    mkdirSync(folder);
    cpSync(join(root, `clusters/${cluster}.yaml`), join(folder, `${cluster}.yaml`));
    // The output of the round before is not removed on its time.
    return () => {
      const args = [cli, "synth", "--clusters", folder, "--out", fresh("one-dist")];
      return () => run(process.execPath, args);
    };
  };
  const again = (cluster) => {
    const args = [cli, "synth", "--clusters", fresh("again"), "--out", fresh("again-dist")];
    mkdirSync(join(scratch, "again"));
    cpSync(join(root, `clusters/${cluster}.yaml`), join(scratch, "again", `${cluster}.yaml`));
    run(process.execPath, args);
    return () => () => run(process.execPath, args);
  };
  const contenders = {
    "node -e 0": () => () => run(process.execPath, ["-e", "0"]),
    "cluster-dns synth, a cluster with a node cache": synth("kubeadm-iptables"),
    "cluster-dns synth, one with tenants, policies and webhook too": synth("admission"),
    "the same, nothing new": again("admission"),
    "the same by the first process after an installation, which compiles": withoutCache(synth("admission")),
  };

  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds + 1; round++) {
    for (const [name, prepare] of Object.entries(contenders)) times[name].push(wall(prepare()));
  }
  const base = median(times["node -e 0"].slice(1));
  console.log("| | wall, ms | ratio to `node -e 0` |\n|---|---|---|");
  for (const [name, [, ...counted]] of Object.entries(times)) {
    const value = median(counted) / base;
    console.log(`| ${name} | ${median(counted).toFixed(0)} | ${value.toFixed(2)} |`);
    if (name.startsWith("cluster-dns")) reportFigure({ what: name, kind: "ratio", value, unit: "x `node -e 0`" });
  }
}

/**
 * Many clusters in one process: the cost of one more, when every file is new (including the file system's share) and
 * when none is.
 */
function scale() {
  const counts = [1, 10, 100, 1000, 10_000];
  const results = Object.fromEntries(counts.map((count) => [count, { first: [], again: [] }]));
  for (let round = 0; round < 3; round++) {
    for (const count of counts) {
      if (count > 1000 && round > 0) continue; // a minute
      const args = ["--require", measure, cli, "synth", "--clusters", clusters("many", count), "--out", fresh("dist")];
      for (const runs of [results[count].first, results[count].again]) {
        spawnSync("sync"); // what was deleted and written before would cost this run
        let said = "";
        const passed = wall(() => (said = run(process.execPath, args).stderr));
        runs.push({ ...JSON.parse(said.trim().split("\n").at(-1)), wall: passed });
      }
    }
  }
  const middle = (count, when, what) => median(results[count][when].map((result) => result[what]));
  const oneMore = (count, when, what = "cpu") => (middle(count, when, what) - middle(1, when, what)) / (count - 1);
  const ms = (count, when) => {
    if (count === 1) return " | ";
    const [passed, cpu, kernel] = ["wall", "cpu", "kernel"].map((what) => oneMore(count, when, what).toFixed(2));
    return `${passed} | ${cpu} (${kernel})`;
  };
  console.log(
    "| clusters in one process | one more, ms: all files new | CPU (in the kernel: files) | nothing new | CPU | peak memory, MB |\n|---|---|---|---|---|---|",
  );
  for (const count of counts) {
    console.log(
      `| ${count} | ${ms(count, "first")} | ${ms(count, "again")} | ${middle(count, "first", "peak").toFixed(0)} |`,
    );
  }
  const ratio = oneMore(10_000, "again") / oneMore(1000, "again");
  reportFigure({ what: "one more cluster among 10,000", kind: "ratio", value: ratio, unit: "x one among 1,000" });
  console.log(`\nThe cost of one more among 10,000 is ${ratio.toFixed(2)} times that among 1,000.`);
}

/** V8's code caches lie beside the command line. */
function withoutCache(prepare) {
  const folder = dirname(cli);
  return () => {
    for (const name of readdirSync(folder)) if (name.endsWith(".cache")) rmSync(join(folder, name));
    return prepare();
  };
}

/** A folder of cluster files: the committed ones, repeated. */
function clusters(name, count) {
  const folder = fresh(name);
  mkdirSync(folder);
  const files = readdirSync(join(root, "clusters")).filter((file) => file.endsWith(".yaml") && file !== "dev.yaml");
  for (let i = 0; i < count; i++) cpSync(join(root, "clusters", files[i % files.length]), join(folder, `c${i}.yaml`));
  return folder;
}

function fresh(name) {
  const folder = join(scratch, name);
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

function run(command, args) {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, env: environment });
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${result.stderr}`);
  return result;
}

function wall(contender) {
  const start = process.hrtime.bigint();
  contender();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
