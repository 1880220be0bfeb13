import { App, Chart } from "cdk8s";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { RenderedCluster } from "../../src/charts/render-cluster";
import { formatProblem, type LocatedProblem } from "../../src/config/located-problem";
import { forEachCluster, type NamedCluster } from "../../src/config/read-clusters";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { sizeProblems } from "../../src/output/object-sizes";
import { synthesize } from "../../src/output/synthesize";
import { emptyFolder } from "../temporary-folder";

const root = emptyFolder("object-sizes");
beforeEach(() => mkdirSync(join(root, "clusters")));

const base = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\nagentImage: registry.example/agent:1\n";

function write(description: string): string {
  const file = join(root, "clusters/c.yaml");
  writeFileSync(file, base + description);
  return file;
}

function shown(problems: readonly LocatedProblem[]): readonly string[] {
  return problems.map((problem) =>
    formatProblem(problem)
      .replaceAll(`${root}/`, "")
      .replace(/\d{7,} bytes/, "N bytes")
      .replace(/-[0-9a-f]{10}\b/, "-HASH"),
  );
}

function problemsOf(description: string): readonly string[] {
  write(description);
  const result = synthesize({ clustersFolder: join(root, "clusters"), outputFolder: join(root, "dist") });
  return "problems" in result ? shown(result.problems) : [];
}

function many(count: number, item: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => item(i)).join("");
}

/** As long as they may be: fewer of them make an object as large. */
const long = (label: string) => label.padEnd(63, "x");
const zone = (i: number) => `${long(`z${i}`)}.${long("")}.${long("")}.${"x".repeat(40)}.example`;

it("an object too large for the API server is refused, with the key that makes it so large, and nothing is written", () => {
  expect(
    problemsOf(`nodeLocalDNS: {state: disabled}\nstubDomains:\n${many(3400, (i) => `  ${zone(i)}: [10.1.2.3]\n`)}`),
  ).toEqual([
    "clusters/c.yaml:5:1 stubDomains: is the longest part of what makes ConfigMap coredns-HASH too large, N bytes; the API server accepts 1048576; shorten it",
  ]);
  expect(existsSync(join(root, "dist"))).toBe(false);
});

it("thousands of tenants by prefix are not too large", () => {
  const tenants = many(5000, (i) => `    - {name: team-${i}x}\n`);
  expect(problemsOf(`tenancy:\n  membership: prefix\n  tenants:\n${tenants}`)).toEqual([]);
});

// Such objects take a second each to render: these stand for them.
it.each<[key: string, description: string, problem: (object: string) => string]>([
  [
    "of tenants",
    `tenancy:\n  tenants:\n${many(9, (i) => `    - {name: t${i}, namespaces: [n${i}]}\n`)}`,
    (object) =>
      `clusters/c.yaml:5:3 tenancy.tenants: is the longest part of what makes ${object} too large, N bytes; the API server accepts 1048576; use membership: prefix, or fewer tenants`,
  ],
  [
    "of labels",
    `labels:\n${many(9, (i) => `  k${i}: v\n`)}`,
    (object) =>
      `clusters/c.yaml:4:1 labels: is the longest part of what makes ${object} too large, N bytes; the API server accepts 1048576; shorten it`,
  ],
])("each such object, and the longest key, is named: the one %s", (_, description, problem) => {
  const text = "x".repeat(1_100_000);
  const named = (kind: string, data: string) => ({ apiVersion: "v1", kind, metadata: { name: "c" }, data: { data } });
  const objects = [named("ConfigMap", text), named("Secret", "x"), named("Deployment", text)];
  const rendered = { components: [{ objects }] } as unknown as RenderedCluster;
  const [cluster] = readClusters(write(description));
  const problems = cluster && shown(sizeProblems(cluster, rendered, new Map([["c.yaml", text]])));
  expect(problems).toEqual([problem("ConfigMap c"), problem("Deployment c")]);
});

function readClusters(file: string): NamedCluster[] {
  const found: NamedCluster[] = [];
  expect(forEachCluster(dirname(file), [], (named) => found.push(named))).toEqual([]);
  return found;
}

it("in a user's own app, the app's synthesis fails", () => {
  const app = new App({ outdir: join(root, "app") });
  new ClusterDns(new Chart(app, "chart"), "dns", {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    labels: Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`k${i}`, long("v")])),
    nodeLocalDNS: { state: "disabled" },
  });
  expect(() => app.synth()).toThrow(/\[chart\/dns\/authoritative-dns\] the props make Deployment coredns too large/);
});
