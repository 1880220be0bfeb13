import { App, Chart } from "cdk8s";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { formatProblem } from "../../src/config/located-problem";
import { synthesize } from "../../src/output/synthesize";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "object-sizes-"));
  mkdirSync(join(root, "clusters"));
});
afterEach(() => rmSync(join(root, "dist"), { recursive: true, force: true }));
afterAll(() => rmSync(root, { recursive: true }));

const base = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\nagentImage: registry.example/agent:1\n";

function problemsOf(description: string): readonly string[] {
  writeFileSync(join(root, "clusters/c.yaml"), base + description);
  const result = synthesize({ clustersFolder: join(root, "clusters"), outputFolder: join(root, "dist") });
  if (!("problems" in result)) return [];
  expect(existsSync(join(root, "dist"))).toBe(false);
  return result.problems.map((problem) =>
    formatProblem(problem)
      .replaceAll(`${root}/`, "")
      .replace(/\d{7,} bytes/, "N bytes")
      .replace(/-[0-9a-f]{10}\b/, "-HASH"),
  );
}

function many(count: number, item: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => item(i)).join("");
}

/** As long as a label may be: fewer of them make an object as large. */
const long = (label: string) => label.padEnd(63, "x");
const tenants = (count: number) =>
  `tenants:\n${many(count, (i) => `    - {name: t${i}, namespaces: [${many(10, (j) => `${long(`team-${i}-app-${j}`)},`)}]}\n`)}`;
const zone = (i: number) => `${long(`z${i}`)}.${long("")}.${long("")}.example`;
const stubDomains = (count: number) => `stubDomains:\n${many(count, (i) => `  ${zone(i)}: [10.1.2.3]\n`)}`;

describe("an object too large for the API server is refused, with the key that makes it so large", () => {
  it.each<[what: string, description: string, problems: string[]]>([
    [
      "stub domains",
      stubDomains(4000),
      [
        "clusters/c.yaml:4:1 stubDomains: is the longest part of what makes ConfigMap coredns-HASH too large, N bytes; the API server accepts 1048576; shorten it",
        "clusters/c.yaml:4:1 stubDomains: is the longest part of what makes ConfigMap node-local-dns-HASH too large, N bytes; the API server accepts 1048576; shorten it",
      ],
    ],
    [
      "tenants, for the Corefile and for the webhook",
      `admission: {allowedUsers: [a], enforcement: webhook}\ntenancy:\n  ${tenants(1550)}`,
      [
        "clusters/c.yaml:6:3 tenancy.tenants: is the longest part of what makes ConfigMap coredns-HASH too large, N bytes; the API server accepts 1048576; use membership: prefix, or fewer tenants",
        "clusters/c.yaml:6:3 tenancy.tenants: is the longest part of what makes ConfigMap cluster-dns-webhook-HASH too large, N bytes; the API server accepts 1048576; use membership: prefix, or fewer tenants",
      ],
    ],
    [
      "labels, which a workload has twice",
      `nodeLocalDNS: {state: disabled}\nlabels:\n${many(9000, (i) => `  k${i}: ${"v".repeat(63)}\n`)}`,
      [
        "clusters/c.yaml:5:1 labels: is the longest part of what makes Deployment coredns too large, N bytes; the API server accepts 1048576; shorten it",
      ],
    ],
  ])("%s", { timeout: 120_000 }, (_, description, problems) => {
    expect(problemsOf(description)).toEqual(problems);
  });

  it.each([
    ["stub domains", stubDomains(1000)],
    ["tenants", `tenancy:\n  ${tenants(400)}`],
    [
      "tenants by prefix",
      `tenancy:\n  membership: prefix\n  tenants:\n${many(5000, (i) => `    - {name: team-${i}x}\n`)}`,
    ],
  ])("and a smaller one is not: %s", (_, description) => {
    expect(problemsOf(description)).toEqual([]);
  });
});

it("in a user's own app, the app's synthesis fails", () => {
  const app = new App({ outdir: join(root, "app") });
  const stubs = Array.from({ length: 4000 }, (_, i) => [zone(i), ["10.1.2.3"]] as const);
  new ClusterDns(new Chart(app, "chart"), "dns", {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    stubDomains: Object.fromEntries(stubs),
  });
  expect(() => app.synth()).toThrow(
    /\[chart\/dns\/authoritative-dns\] the props make ConfigMap coredns-[0-9a-f]{10} too large, \d{7} bytes; the API server accepts 1048576/,
  );
});
