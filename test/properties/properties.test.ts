import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderCluster } from "../../src/charts/render-cluster";
import { withAgentImage } from "../../src/model/agent-image";
import { resolve } from "../../src/model/check/resolve";
import { clusterOf } from "../../src/model/cluster/cluster";
import { effective } from "../../src/model/effective/effective";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { writtenOut } from "../model/effective/written-out";
import { root } from "../repository";
import { fromSchema, type Schema, type Words } from "./from-schema";
import { violations } from "./invariants";

const schema = JSON.parse(readFileSync(join(root, "clusters/schema.json"), "utf8")) as Schema;

const addresses = [
  "10.96.0.10",
  "fd00:96::a",
  "10.97.0.10",
  "169.254.20.10",
  "fd00:169:254:20::10",
  "FD00:96::A",
  "9.9.9.9",
];
const servers = [...addresses, "9.9.9.9:5353", "[2620:fe::fe]:53", "10.1.2.3", "127.0.0.1", "::ffff:10.96.0.10"];
const zones = [
  "corp.example",
  "Corp.Example.",
  "internal",
  "a_b.example",
  "10.in-addr.arpa",
  "local",
  "cluster.local",
  ".",
];
const labels = [
  "team",
  "example.com/role",
  "node-role.kubernetes.io/infra",
  "kubernetes.io/os",
  "k8s-app",
  "constructor",
  "__proto__",
];
const quantities = ["100m", "0.5", "70Mi", "1.5Gi", "1e3", "2", "0"];
const images = ["agent:1", "registry.example:5000/dns/agent:v1.2", `agent@sha256:${"0".repeat(64)}`, "agent:latest"];

const wellFormed: Words["values"] = {
  clusterDNS: ["10.96.0.10", "fd00:96::a", "10.97.0.10", "fd00:169:254:20::10"],
  clusterDomain: ["cluster.local", "k8s.example", "internal", "local", "arpa"],
  serviceCIDRs: ["10.96.0.0/12", "fd00:96::/112", "10.96.0.0/30", "::/0"],
  kubernetesVersion: ["1.28", "1.34", "1.37", "1.3"],
  ciliumVersion: ["1.17.3", "1.18.4", "1.20.2", "1.20"],
  imageRegistry: ["mirror.example", "mirror.example:5000/k8s"],
  agentImage: images,
  image: images,
  upstreamNameservers: servers,
  upstreamTLSServerName: ["dns.quad9.net"],
  stubDomains: servers,
  ip: servers,
  hostnames: [...zones, "registry.example", "db.corp.example", "#"],
  resolvConf: ["/run/systemd/resolve/resolv.conf"],
  labels: ["platform", ""],
  annotations: ["any text: really\n", "{$HOME}", ""],
  linkLocalAddresses: ["169.254.20.10", "169.254.30.10", "fd00:169:254:20::10", "10.96.0.10"],
  metricsNamespaces: ["monitoring", "Monitoring"],
  namespace: ["kube-system", "monitoring", "Bad"],
  dashboardLabels: ["1", ""],
  runbookBaseURL: ["https://runbooks.example/dns", "https://runbooks.example/dns/"],
  serveStale: ["12h", "1h30m", "0s"],
  duration: ["1m", "30s"],
  timeout: ["1m", "30s"],
  outsideName: ["www.example.com", "a.cluster.local"],
  nodeSelector: ["linux", "", "infra"],
  key: labels,
  value: ["", "infra", "5"],
  requests: quantities,
  limits: quantities,
};
const keys: Words["keys"] = {
  stubDomains: zones,
  labels,
  dashboardLabels: labels,
  annotations: [...labels, "Example.com/Owner", "argocd.argoproj.io/sync-wave"],
  nodeSelector: labels,
  requests: ["cpu", "memory"],
  limits: ["cpu", "memory"],
};
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "{$HOME}",
    "a }\n}\n.:53 {",
    '"',
    "\\",
    "${VAR}",
    "# x",
    "import /etc/passwd",
    "*",
    "../..",
    "toString",
    "a".repeat(300),
  ),
);
// A cluster file may leave these to its defaults file; without them there is no cluster.
const required = ["clusterDNS", "kubeProxyMode"];
const cluster = fromSchema({ ...schema, required }, { values: wellFormed, keys, any: hostile }) as fc.Arbitrary<{
  [key: string]: unknown;
}>;

function expectProblemsOrGoodObjects(value: unknown): "refused" | "rendered" {
  const { cluster: resolved, problems = [] } = resolve(value);
  for (const { path, message } of problems) {
    expect(message).not.toBe("");
    expect(path.every((step) => ["string", "number"].includes(typeof step))).toBe(true);
  }
  if (!resolved) return "refused";
  const rendered = renderCluster(resolved);
  expect(violations(resolved, rendered)).toEqual([]);
  expect(JSON.stringify(renderCluster(resolved))).toBe(JSON.stringify(rendered));
  return "rendered";
}

/** `explain` shows values that, written out, describe the same cluster. */
function expectEffectiveValuesToRenderTheSame(value: unknown): void {
  const { cluster: resolved } = resolve(value);
  if (!resolved) return;
  const written = withAgentImage(writtenOut(effective(value as ClusterDnsProps, resolved)) as ClusterDnsProps);
  expect(renderCluster(clusterOf(written))).toEqual(renderCluster(resolved));
}

describe("any value is either refused, with located problems, or yields objects that keep the invariants", () => {
  it("of the schema's shape", () => {
    const seen = { refused: 0, rendered: 0 };
    fc.assert(
      fc.property(cluster, (value) => {
        seen[expectProblemsOrGoodObjects(value)]++;
      }),
      { numRuns: 600 },
    );
    // Otherwise the arbitrary is worthless.
    expect(seen.refused).toBeGreaterThan(50);
    expect(seen.rendered).toBeGreaterThan(50);
  });

  it("of the schema's shape: its values in effect, written out, render the same objects", () => {
    fc.assert(fc.property(cluster, expectEffectiveValuesToRenderTheSame), { numRuns: 300 });
  });

  it("of no shape at all", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }), (value) => {
        expectProblemsOrGoodObjects(value);
      }),
      { numRuns: 300 },
    );
  });

  it("of the schema's shape except for one part", () => {
    const part = fc.oneof(fc.jsonValue({ maxDepth: 2 }), hostile);
    const key = fc.constantFrom(...Object.keys(schema.properties ?? {}), "nodeLocalDns");
    fc.assert(
      fc.property(cluster, key, part, (value, spoilt, by) => {
        expectProblemsOrGoodObjects({ ...value, [spoilt]: by });
      }),
      { numRuns: 300 },
    );
  });

  it("of the schema's shape except for one part, however deep", () => {
    const part = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 1 }), hostile);
    fc.assert(
      fc.property(cluster, fc.nat(), part, (value, which, by) => {
        const paths = pathsIn(value);
        expectProblemsOrGoodObjects(replaced(value, paths[which % paths.length] ?? [], by));
      }),
      { numRuns: 600 },
    );
  });
});

function pathsIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, child]) => pathsIn(child).map((path) => [key, ...path]))];
}

/** A copy with another value at a path, or without that path if the value is undefined. */
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const entries = Object.entries(value as object)
    .map(([each, child]) => [each, each === key ? replaced(child, rest, by) : (child as unknown)] as const)
    .filter(([, child]) => child !== undefined);
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
