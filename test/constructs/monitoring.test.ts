import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import packageJson from "../../package.json";
import { renderCluster } from "../../src/charts/render-cluster";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { Monitoring } from "../../src/constructs/monitoring";
import { resolve } from "../../src/model/check/resolve";
import { clusterOf } from "../../src/model/cluster/cluster";
import { defaults } from "../../src/model/defaults";
import { isAlert, type RuleGroup } from "../../src/model/monitoring/rule";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { MonitoringOptions } from "../../src/model/props/monitoring";
import { root } from "../repository";
import { rendererOf } from "./rendered";

const everything: ClusterDnsProps = {
  clusterDNS: ["10.96.0.10", "fd00:96::a"],
  kubeProxyMode: "nftables",
  kubernetesVersion: "1.33",
  agentImage: "registry.example/agent:1",
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  nodeLocalDNS: { queryLimit: 500 },
  resilience: true,
  nodeResolver: { services: ["registry.infra.svc"] },
  admission: { allowedUsers: ["admin"] },
};
const draining: ClusterDnsProps = { ...everything, nodeLocalDNS: { state: "draining" } };
const little = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", nodeLocalDNS: { state: "disabled" } } as const;

function rendered(options: MonitoringOptions = {}, props: ClusterDnsProps = everything) {
  return rendererOf(Monitoring, "monitoring", props)({ monitoring: options });
}

function rulesOf(...args: Parameters<typeof rendered>) {
  const groups = rendered(...args).object("PrometheusRule", "cluster-dns").spec?.["groups"] as unknown as RuleGroup[];
  return groups.flatMap(({ rules }) => rules.filter(isAlert));
}

const alertsOf = (...args: Parameters<typeof rendered>) => rulesOf(...args).map(({ alert }) => alert);

it("selects Services that are rendered, with the port it names", () => {
  const { objects } = rendererOf(ClusterDns, "dns", everything)({ monitoring: {} });
  for (const { metadata, spec } of objects.filter(({ kind }) => String(kind) === "ServiceMonitor")) {
    const matchLabels = Object.entries(spec?.selector?.matchLabels ?? {});
    const found = objects.filter(
      (object) =>
        String(object.kind) === "Service" &&
        matchLabels.every(([key, value]) => object.metadata?.labels?.[key] === value) &&
        JSON.stringify(object.spec?.ports).includes('"name":"metrics"'),
    );
    expect({ monitor: metadata?.name, services: found.length }).toEqual({ monitor: metadata?.name, services: 1 });
  }
});

it("replaces the annotations, so that nothing is scraped twice", () => {
  const isAnnotated = (props: ClusterDnsProps) =>
    JSON.stringify(renderCluster(clusterOf(props)).components).includes("prometheus.io/");
  expect(isAnnotated(everything)).toBe(true);
  expect(isAnnotated({ ...everything, monitoring: {} })).toBe(false);
  expect(isAnnotated({ ...everything, monitoring: { monitors: "annotations" } })).toBe(true);
  const { names } = rendered({ monitors: "annotations" });
  expect(names).toEqual(["PrometheusRule cluster-dns", "ConfigMap cluster-dns-dashboard"]);
});

it("leaves out programs that only their node can reach", () => {
  const { names } = rendered({}, { ...everything, metricsAddress: "loopback" });
  expect(names.filter((name) => name.includes("Monitor"))).toEqual([
    "ServiceMonitor coredns",
    "ServiceMonitor cluster-dns-webhook",
  ]);
});

const { tenancy: _tenancy, admission: _admission, ...ofNodes } = everything;
const staleFirst = { serveStale: { duration: "1h", refresh: "immediate" } } as const;
it.each<[of: string, props: ClusterDnsProps, there: string, absent: RegExp]>([
  ["no cache", little, "CoreDNSDown", /NodeLocal|NodeResolver|Webhook|TenantDNS|CoreDNSAnswersStale/],
  ["another DNS", { ...ofNodes, authoritativeDNS: { kind: "Existing" } }, "NodeLocalDNSBypassed", /CoreDNSDown/],
  ["no limit", { ...everything, nodeLocalDNS: {} }, "CoreDNSAnswersStale", /NodeLocalDNSPodLimited/],
  ["stale first", { ...everything, nodeLocalDNS: { cache: staleFirst } }, "CoreDNSDown", /CoreDNSAnswersStale/],
  // What the watchdog no longer measures: its gauges stay 0.
  ["a cache that drains", draining, "NodeLocalDNSRulesNotApplied", /Bypassed|Unreachable|NodeDNSDown/],
])("has the alerts of what the cluster has, and no others: %s", (_, props, there, absent) => {
  const alerts = alertsOf({}, props);
  expect(alerts).toContain(there);
  expect(alerts.filter((name) => absent.test(name))).toEqual([]);
});

it.each<[ClusterDnsProps["authoritativeDNS"], expression: string]>([
  [{ replicas: 3 }, `or count(count by (pod) (up{job="coredns",pod!=""})) < 3`],
  [{ autoscaler: { min: 4 } }, `or count(count by (pod) (up{job="coredns",pod!=""})) < 4`],
  [{ kind: "DaemonSet" }, `up{job="coredns"} == 0`],
])("misses a pod of %j", (authoritativeDNS, expression) => {
  const { expr = "" } =
    rulesOf({}, { ...little, authoritativeDNS }).find(({ alert }) => alert === "CoreDNSReplicaDown") ?? {};
  expect(expr.endsWith(expression)).toBe(true);
});

it("takes a node without a cache for a fault only where every node shall have one", () => {
  const bypassed = (nodeLocalDNS: ClusterDnsProps["nodeLocalDNS"]) =>
    rulesOf({}, { ...everything, nodeLocalDNS }).find(({ alert }) => alert === "NodeLocalDNSBypassed")?.expr;
  const everywhere = bypassed({});
  expect(everywhere).not.toContain("up{");
  expect(bypassed({ nodePlacement: { nodeSelector: { pool: "a" } } })).toBe(
    `${everywhere} and on (node) up{job="node-local-dns"}`,
  );
});

it("puts monitors, rules and dashboard where it is told, with the labels it is told", () => {
  const given = { namespace: "monitoring", labels: { release: "prom" }, dashboardLabels: { grafana: "yes" } };
  for (const { kind, metadata } of rendered(given).objects) {
    const labels = String(kind) === "ConfigMap" ? given.dashboardLabels : given.labels;
    const there = { namespace: "monitoring", labels };
    expect(metadata).toMatchObject(String(kind) === "Service" ? { namespace: "kube-system" } : there);
  }
});

it("has a page for every alert, at the package's home, and none for another", () => {
  const folder = join(root, "docs/runbooks");
  const home = packageJson.homepage.replace(/#.*$/, "");
  expect(defaults.monitoring.runbookBaseURL).toBe(`${home}/blob/main/docs/runbooks`);
  expect(existsSync(folder)).toBe(true);
  const pages = [...new Set(alertsOf())].map((name) => `${name}.md`);
  expect(readdirSync(folder).toSorted()).toEqual(pages.toSorted());
});

it("mentions in a description only labels that the expression keeps", () => {
  for (const { alert, expr, annotations } of rulesOf()) {
    const kept = [...expr.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, labels = ""]) => labels.split(", "));
    if (kept.length === 0) continue;
    const used = [...annotations.description.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    expect({ alert, kept }).toEqual({ alert, kept: expect.arrayContaining(used) });
  }
});

it("is refused if nothing is left to render", () => {
  const off = { monitors: "annotations", prometheusRule: false, dashboard: false };
  const problem = { path: ["monitoring"], message: expect.stringMatching(/^renders nothing/) };
  for (const props of [{ monitoring: off }, { authoritativeDNS: { kind: "Existing" }, monitoring: {} }])
    expect(resolve({ ...little, ...props }).problems).toMatchObject([problem]);
});

it("has no panel that reads what no rule records", () => {
  const recorded = (options: MonitoringOptions) =>
    JSON.stringify(rendered(options).object("ConfigMap", "cluster-dns-dashboard")).includes("cluster_dns:");
  expect(recorded({})).toBe(true);
  expect(recorded({ prometheusRule: false })).toBe(false);
});
