// `npm run bench`: where the time of a synthesis goes. Each step by itself, on the committed cluster files, repeated.
import { App, ApiObject, Chart } from "cdk8s";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../rig/repository";
import { renderCluster, type RenderedCluster } from "../src/charts/render-cluster";
import type { YamlFile } from "../src/config/parse-yaml";
import { readYaml } from "../src/config/read-yaml";
import { resolveFiles } from "../src/config/resolve-files";
import { ClusterDns } from "../src/constructs/cluster-dns";
import type { Cluster } from "../src/model/cluster/cluster";
import { clusterFiles, type Files } from "../src/output/cluster-files";
import { withRecord } from "../src/output/record";
import { planFiles, writeFiles } from "../src/output/write-files";
import { makeScratch } from "./scratch.mjs";

const count = 100;
const rounds = 9;

const scratch = makeScratch();
/** Milliseconds of processor time, of each round. */
const times = new Map<string, number[]>();
try {
  const paths = clusterFilesIn(join(scratch, "clusters"));
  for (let round = 0; round < rounds + 1; round++) once(paths, join(scratch, `dist-${round}`));
  print();
} finally {
  rmSync(scratch, { recursive: true });
}

function once(paths: readonly string[], dist: string): void {
  const parsed = step("parse the YAML", () => paths.map(readYaml));
  const clusters = step("check, fill in defaults", () => parsed.map(resolved));
  const charts = step("construct", () =>
    clusters.map((cluster) => {
      const chart = new Chart(new App(), "cluster", { disableResourceNameHashes: true });
      return new ClusterDns(chart, "dns", cluster);
    }),
  );
  step("objects to JSON", () =>
    charts.map((dns) =>
      dns.node
        .findAll()
        .filter(ApiObject.isApiObject)
        .map((object) => object.toJson() as unknown),
    ),
  );
  const rendered = clusters.map(renderCluster); // not counted twice
  const files = step(
    "JSON to YAML",
    () => new Map(rendered.flatMap((each, i) => [...filesOf(`c${i}`, `clusters/c${i}.yaml`, each)])),
  );
  const owner = { clustersFolder: "clusters" };
  step("write all files", () => writeFiles(dist, (use) => use(files), owner));
  step("compare with files that are the same", () => planFiles(dist, (use) => use(files), owner));
}

function filesOf(cluster: string, clusterFile: string, rendered: RenderedCluster): Files {
  return withRecord(clusterFiles(cluster, clusterFile, rendered), { cluster, clusterFile });
}

function resolved(file: YamlFile): Cluster {
  const result = resolveFiles([file]);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.cluster;
}

function step<Result>(name: string, work: () => Result): Result {
  const from = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(from);
  times.set(name, [...(times.get(name) ?? []), (user + system) / 1000]);
  return result;
}

/** Copies of the committed ones. */
function clusterFilesIn(folder: string): string[] {
  mkdirSync(folder);
  const committed = join(repositoryRoot, "clusters");
  const names = readdirSync(committed).filter((file) => file.endsWith(".yaml") && file !== "dev.yaml");
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, `c${i}.yaml`);
    copyFileSync(join(committed, names[i % names.length] ?? ""), path);
    return path;
  });
}

function print(): void {
  // The first round warms up.
  const medians = [...times].map(([name, [, ...counted]]) => ({
    name,
    ms: (counted.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0) / count,
  }));
  const total = medians.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`\nOne cluster among ${count} in a warm process, median of ${rounds} rounds:\n`);
  console.log("| step | CPU, ms | share |\n|---|---|---|");
  for (const { name, ms } of medians)
    console.log(`| ${name} | ${ms.toFixed(2)} | ${((100 * ms) / total).toFixed(0)} % |`);
}
