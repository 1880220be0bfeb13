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

function tooLarge(key: string, object: string, remedy: string): string {
  return `clusters/c.yaml:${key}: is the longest part of what makes ${object} too large, N bytes; the API server accepts 1048576; ${remedy}`;
}

/** As long as they may be: fewer of them make an object as large. */
const long = (label: string) => label.padEnd(63, "x");
const zone = (i: number) => `${long(`z${i}`)}.${long("")}.${long("")}.${"x".repeat(40)}.example`;

it("an object too large for the API server is refused, with the key that makes it so large, and nothing is written", () => {
  const stubDomains = many(3400, (i) => `  ${zone(i)}: [10.1.2.3]\n`);
  const problem = tooLarge("5:1 stubDomains", "ConfigMap coredns-HASH", "shorten it");
  expect(problemsOf(`nodeLocalDNS: {state: disabled}\nstubDomains:\n${stubDomains}`)).toEqual([problem]);
  expect(existsSync(join(root, "dist"))).toBe(false);
});

it("thousands of tenants by prefix are not too large", () => {
  const all = many(5000, (i) => `    - {name: team-${i}x}\n`);
  expect(problemsOf(`tenancy:\n  membership: prefix\n  tenants:\n${all}`)).toEqual([]);
});

// Such objects take a second each to render: these stand for them.
const tenants = many(9, (i) => `    - {name: t${i}, namespaces: [n${i}]}\n`);
it.each<[key: string, description: string, remedy: string]>([
  ["5:3 tenancy.tenants", `tenancy:\n  tenants:\n${tenants}`, "use membership: prefix, or fewer tenants"],
  ["4:1 labels", `labels:\n${many(9, (i) => `  k${i}: v\n`)}`, "shorten it"],
])("each such object, and the longest key, is named: %s", (key, description, remedy) => {
  const text = "x".repeat(1_100_000);
  const named = (kind: string, data: string) => ({ apiVersion: "v1", kind, metadata: { name: "c" }, data: { data } });
  const objects = [named("ConfigMap", text), named("Secret", "x"), named("Deployment", text)];
  const rendered = { components: [{ objects }] } as unknown as RenderedCluster;
  const [cluster] = readClusters(write(description));
  const problems = cluster && shown(sizeProblems(cluster, rendered, new Map([["c.yaml", text]])));
  expect(problems).toEqual(["ConfigMap c", "Deployment c"].map((object) => tooLarge(key, object, remedy)));
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
