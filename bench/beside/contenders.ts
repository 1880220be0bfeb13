import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../rig/repository";
import { tool } from "../../rig/tools";

/** The objects of a cluster, by the file that each is written to. */
export interface BesideCluster {
  readonly name: string;
  readonly clusterFile: string;
  readonly objects: readonly object[];
  readonly yaml: readonly string[];
  /** With kustomizations, as `synth` leaves it. */
  readonly dist: string;
}

/** A tool that renders the objects of some clusters, as its users would run it. */
export interface Contender {
  readonly name: string;
  /** A script of the shell; what it writes goes below `out`, one file or folder for each cluster. */
  readonly script: string;
  /** Whether it leaves what an earlier run wrote, elsewhere than below `out`. */
  readonly isAgain?: boolean;
}

/** Prepares the sources of each tool in a folder. The scripts write below `out`. */
export function contenders(folder: string, out: string, clusters: readonly BesideCluster[]): Contender[] {
  const each = (command: (cluster: BesideCluster, source: string) => string, name: string) =>
    clusters.map((cluster) => command(cluster, join(folder, name, cluster.name))).join("\n");
  const synth = `${node} ${join(repositoryRoot, "lib/cli/main.js")} synth --quiet --clusters ${clusterFiles(folder, clusters)}`;
  return [
    { name: "cluster-dns synth", script: `${synth} --out ${out}` },
    { name: "cluster-dns synth, nothing new", script: `${synth} --out ${join(folder, "dist")}`, isAgain: true },
    { name: "plain cdk8s", script: `OUT=${out} ${node} ${cdk8sApp(folder, clusters)}` },
    {
      name: "helm template",
      script: each((cluster, source) => {
        const chart = helmChart(source, cluster);
        return `${tool("helm", "helm")} template dns ${chart} > ${out}/${cluster.name}.yaml`;
      }, "helm"),
    },
    {
      name: "kustomize build",
      script: each(({ name, dist }) => `${tool("kustomize", "kustomize")} build ${dist} -o ${out}/${name}.yaml`, ""),
    },
    { name: "jsonnet", script: `${tool("jsonnet", "jsonnet")} -m ${out} -c ${jsonnet(folder, clusters)} > /dev/null` },
    {
      name: "cue export",
      script: each(
        (cluster, source) =>
          `${tool("cue", "cue")} export ${cueFile(source, cluster)} -e objects --out yaml -o ${out}/${cluster.name}.yaml`,
        "cue",
      ),
    },
  ];
}

const node = process.execPath;

function clusterFiles(folder: string, clusters: readonly BesideCluster[]): string {
  const files = made(folder, "clusters");
  for (const { name, clusterFile } of clusters) cpSync(clusterFile, join(files, `${name}.yaml`));
  return files;
}

/** A chart for each cluster in one app, from the objects as JSON. */
function cdk8sApp(folder: string, clusters: readonly BesideCluster[]): string {
  const app = join(made(folder, "cdk8s"), "main.cjs");
  const data = clusters.map(({ name, objects }) => [name, objects]);
  writeFileSync(
    app,
    `const { ApiObject, App, Chart } = require(${JSON.stringify(join(repositoryRoot, "node_modules/cdk8s"))});
const app = new App({ outdir: process.env.OUT });
for (const [name, objects] of ${JSON.stringify(data)}) {
  const chart = new Chart(app, name);
  for (const [i, object] of objects.entries()) new ApiObject(chart, String(i), object);
}
app.synth();
`,
  );
  return app;
}

function helmChart(chart: string, { yaml }: BesideCluster): string {
  mkdirSync(join(chart, "templates"), { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: dns\nversion: 0.1.0\n");
  for (const [i, text] of yaml.entries())
    writeFileSync(join(chart, "templates", `${i}.yaml`), text.replaceAll("{{", '{{ "{{" }}'));
  return chart;
}

/** One run writes the files of all clusters. */
function jsonnet(folder: string, clusters: readonly BesideCluster[]): string {
  const files = made(folder, "jsonnet");
  for (const { name, objects } of clusters) writeFileSync(join(files, `${name}.libsonnet`), JSON.stringify(objects));
  const main = join(files, "main.jsonnet");
  writeFileSync(
    main,
    `{\n${clusters.map(({ name }) => `"${name}.json": import "${name}.libsonnet",`).join("\n")}\n}\n`,
  );
  return main;
}

function cueFile(path: string, { objects }: BesideCluster): string {
  mkdirSync(path, { recursive: true });
  const file = join(path, "objects.cue");
  writeFileSync(file, `objects: ${JSON.stringify(objects)}\n`);
  return file;
}

function made(folder: string, name: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
}
