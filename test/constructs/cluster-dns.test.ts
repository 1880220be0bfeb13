import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { App, Chart, JsonPatch, Lazy, Testing } from "cdk8s";
import { describe, expect, it, onTestFinished } from "vitest";
import { renderCluster } from "../../src/charts/render-cluster";
import { AuthoritativeDns } from "../../src/constructs/authoritative-dns";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import * as packaged from "../../src/index";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { Toleration } from "../../src/model/props/placement";
import { readText, root } from "../repository";
import { type Part, rendererOf } from "./rendered";
import { temporaryFolder } from "../temporary-folder";

const minimal: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };
const full: ClusterDnsProps = { ...minimal, agentImage: "agent:1", authoritativeDNS: { autoscaler: {} } };

function construct(props: ClusterDnsProps): ClusterDns {
  return new ClusterDns(new Chart(new App(), "test"), "dns", props);
}

describe("whoever imports the package gets", () => {
  it("the construct of each component, which docs/api.md names", () => {
    const names = Object.keys(clusterOf(minimal).components).map((name) => name.replace(/^./, (a) => a.toUpperCase()));
    expect(Object.keys(packaged)).toEqual(expect.arrayContaining(names));
    const [table] = readText("docs/api.md").match(/^\| construct[^]+?\n\n/m) ?? [""];
    expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });

  it("the types of all props", () => {
    const folder = join(root, "src/model/props");
    const files = readdirSync(folder).filter((file) => file !== "cluster-dns.ts");
    const source = readFileSync(join(folder, "cluster-dns.ts"), "utf8");
    const exported = source.match(/(?<=^export type \* from "\.\/)[^"]+/gm);
    expect(exported?.map((name) => `${name}.ts`)).toEqual(files.sort());
  });
});

it("whoever has the construct can patch what it renders", () => {
  const chart = new Chart(new App(), "platform");
  const dns = new ClusterDns(chart, "dns", full);
  dns.authoritativeDns?.workload.addJsonPatch(JsonPatch.replace("/spec/minReadySeconds", 30));
  dns.nodeLocalDns?.daemonSet.metadata.addLabel("example.com/patched", "yes");
  const rendered = Testing.synth(chart) as Part[];
  const patched = (kind: string) => rendered.find((each) => String(each.kind) === kind);
  expect(patched("Deployment")?.spec?.minReadySeconds).toBe(30);
  expect(patched("DaemonSet")?.metadata?.labels).toMatchObject({ "example.com/patched": "yes" });
});

describe("notes for users", () => {
  const warningsOf = async (work: () => unknown): Promise<string[]> => {
    const warnings: string[] = [];
    const collect = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
    process.on("warning", collect);
    work();
    // Node emits them on the next tick.
    await new Promise(setImmediate);
    process.off("warning", collect);
    return warnings;
  };

  it.each<[what: string, props: ClusterDnsProps, ...notes: RegExp[]]>([
    ["warns at synthesis", { ...minimal, kubeProxyMode: "none" }, /^no node cache: kubeProxyMode none without cni/],
    ["is none where nothing is missing", full],
    ["is one of what only the command line renders", { ...full, gitops: { flux: {} } }, /^gitops has no effect here: /],
    ["is none where it was said", { ...minimal, nodeLocalDNS: { state: "disabled" } }],
  ])("%s", async (_, props, ...expected) => {
    const app = new App({ outdir: temporaryFolder("cluster-dns-warnings", onTestFinished) });
    const { notes } = new ClusterDns(new Chart(app, "test"), "dns", props);
    expect(notes).toEqual(expected.map((note) => expect.stringMatching(note)));
    const warnings = notes.map((text) => `ClusterDnsWarning: test/dns: ${text}`);
    expect(await warningsOf(() => app.synth())).toEqual(warnings);
    expect(await warningsOf(() => app.synth())).toEqual([]);
  });

  it("is printed by the command line itself, and so is not a warning there", async () => {
    expect(await warningsOf(() => renderCluster(clusterOf({ ...minimal, kubeProxyMode: "none" })))).toEqual([]);
  });
});

describe("in a user's own app", () => {
  // Names are part of the takeover and of the cache's environment: a chart's prefix or hash must not change them.
  it("a chart's labels and name hashes change no name and no selector, nor does its namespace if it is ours", () => {
    const chart = new Chart(new App(), "platform", { namespace: "kube-system", labels: { chart: "platform" } });
    new ClusterDns(chart, "dns", full);
    const { objects } = rendererOf(ClusterDns, "dns", full)();
    const names = (all: Part[]) =>
      all.map(({ metadata, spec }) => [metadata?.name, metadata?.namespace, spec?.selector]);
    expect(names(Testing.synth(chart) as Part[])).toEqual(names(objects));
  });

  it("one app may hold two clusters", () => {
    const app = new App();
    for (const name of ["eu", "us"]) new ClusterDns(new Chart(app, name), "dns", full);
    const [eu, us] = app.charts.map((chart) => chart.toJson().length);
    expect(us).toBe(eu);
  });
});

describe("an error", () => {
  it.each([ClusterDns, AuthoritativeDns])("refuses another namespace of a chart", (Construct) => {
    const chart = new Chart(new App(), "platform", { namespace: "dns" });
    expect(() => new Construct(chart, "dns", minimal)).toThrow(
      "platform/dns belongs in namespace kube-system, but chart platform has namespace dns; add it to a chart without a namespace",
    );
  });

  it("refuses a namespace that is Lazy, which it cannot compare", () => {
    const namespace: unknown = Lazy.any({ produce: () => "kube-system" });
    const chart = new Chart(new App(), "platform", { namespace: namespace as string });
    expect(() => new ClusterDns(chart, "dns", minimal)).toThrow("chart platform has a namespace to be resolved");
  });

  it("reads props that are all that a module exports", async () => {
    const lines = Object.entries(minimal).map(([key, value]) => `export const ${key} = ${JSON.stringify(value)};`);
    const exported: unknown = await import(`data:text/javascript,${lines.join("")}`);
    expect(construct(exported as ClusterDnsProps).nodeLocalDns).toBeDefined();
  });

  it("names the construct and the prop, for everything that is wrong", () => {
    const props = { ...minimal, nodeLocalDns: {}, authoritativeDNS: { ttl: -1 }, upstreamNameservers: ["10.96.0.10"] };
    expect(() => construct(props)).toThrow(
      /^test\/dns nodeLocalDns: unknown key; did you mean nodeLocalDNS\?.*\ntest\/dns authoritativeDNS\.ttl: -1 is too small; .*\ntest\/dns upstreamNameservers\[0\]: "10\.96\.0\.10" is the cluster's own DNS/,
    );
  });

  it("is thrown before anything is constructed", () => {
    const chart = new Chart(new App(), "test");
    expect(() => new ClusterDns(chart, "dns", { ...minimal, clusterDNS: [] })).toThrow("test/dns clusterDNS");
    expect(chart.toJson()).toEqual([]);
  });
});

it("takes objects without a prototype, and proxies, too", () => {
  const toleration = Object.assign(Object.create(null) as object, { key: "team", operator: "Exists" }) as Toleration;
  const authoritativeDNS = new Proxy({ nodePlacement: { tolerations: [toleration] } }, {});
  const { authoritativeDns } = construct({ ...minimal, authoritativeDNS });
  expect(JSON.stringify(authoritativeDns?.workload.toJson())).toContain('"tolerations":[{"key":"team"');
});
