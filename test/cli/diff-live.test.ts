import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { kinds } from "../../src/constructs/kinds";
import type { KubernetesObject } from "../../src/model/kubernetes/object";
import { resourceOf } from "../../src/model/kubernetes/resource";
import { refusal, success, Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\nagentImage: registry.example/agent:1\n";

/** What the fake one serves of our kinds, unless `served` says otherwise. */
const builtIn = Object.entries(kinds)
  .map(([kind, { apiVersion }]) => resourceOf(apiVersion, kind))
  .filter((resource) => !/(cilium|cert-manager)\.io$|\.coreos\.com$/.test(resource));

/** Keeps objects in live.json as an API server would: `apply` adds to what is applied what it keeps for itself. */
const fakeKubectl = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const args = process.argv.slice(2).join(" ");
appendFileSync("calls", args + "\\n");
const live = existsSync("live.json") ? JSON.parse(readFileSync("live.json", "utf8")) : [];
const refused = existsSync("refused") ? readFileSync("refused", "utf8") : undefined;
const items = args.endsWith("-f -") ? JSON.parse(readFileSync(0, "utf8")).items : [];
const same = (a, b) => a.kind === b.kind && a.metadata.name === b.metadata.name;
const stored = (object) => ({
  ...object,
  metadata: { ...object.metadata, uid: String(Math.random()), creationTimestamp: "2026-01-01T00:00:00Z", managedFields: [{}] },
  ...(object.kind === "DaemonSet" && { status: { desiredNumberScheduled: 12 } }),
  ...(object.kind === "Job" && { spec: ofJob(object.spec, { "batch.kubernetes.io/controller-uid": String(Math.random()) }) }),
});
const ofJob = ({ template, ...spec }, matchLabels) => ({
  ...spec,
  selector: { matchLabels },
  template: { ...template, metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...matchLabels } } },
});
const show = (objects) => process.stdout.write(JSON.stringify({ kind: "List", items: objects }));
if (existsSync("no-context")) fail(args.startsWith("config") ? "error: current-context is not set" : "The connection was refused");
else if (args.includes("nowhere")) fail("error: context does not exist");
else if (args.includes(" apply ") && items.some(({ kind, metadata }) => kind + " " + metadata.name === refused)) fail(refused + " is invalid");
else if (args.includes(" apply ") && existsSync("said")) process.stdout.write(readFileSync("said", "utf8"));
else if (args.includes(" apply ")) show(items.map(stored));
else if (args.includes("api-resources")) process.stdout.write(existsSync("served") ? readFileSync("served", "utf8") : ${JSON.stringify(builtIn.join("\n"))});
else if (args.includes("get configmaps,deployments,daemonsets ") && existsSync("proxy-forbidden")) fail("configmaps is forbidden");
else if (args.includes("get configmaps,deployments,daemonsets ")) process.stdout.write(existsSync("proxy") ? readFileSync("proxy", "utf8") : "[]");
else if (args.includes("get configmaps --namespace ")) show(live.filter(({ kind, metadata }) => kind === "ConfigMap" && args.includes(" " + metadata.name + " ")));
else if (args.endsWith("-f -")) show(live.filter((object) => items.some((item) => same(item, object))).map(stored));
else show(live.filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"]).map(stored));
function fail(message) { process.stderr.write(message + "\\n"); process.exitCode = 1; }
`;

const scratch = Scratch.forEach();
beforeEach(() => {
  scratch.write("clusters/prod.yaml", good);
});

function diffLive(...args: string[]) {
  return scratch.runWith({ program: kubectl }, "diff", "--live", ...args);
}

/** The fake one without a process, which would take twenty times as long. */
function kubectl(args: readonly string[], input: string) {
  const printed = { status: 0, stdout: "", stderr: "" };
  const process = {
    argv: ["node", "kubectl", ...args],
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text) },
    set exitCode(status: number) {
      printed.status = status;
    },
  };
  const readFile = (file: string | number) => (file === 0 ? input : readFileSync(file, "utf8"));
  const require = () => ({ appendFileSync, existsSync, readFileSync: readFile });
  runInNewContext(fakeKubectl.replace(/^#!.*/, ""), { process, require });
  return printed;
}

/** What a controller adds to the metadata of what it applies. */
type Marks = Pick<KubernetesObject["metadata"], "labels" | "annotations">;

/** Applies what the cluster file renders. */
function applyAll(marks: Marks = {}): void {
  scratch.run("synth");
  const marked = renderedObjects().map(({ metadata, ...object }) => {
    const labels = { ...metadata.labels, ...marks.labels };
    return {
      ...object,
      metadata: { ...metadata, labels, annotations: { ...metadata.annotations, ...marks.annotations } },
    };
  });
  scratch.write("live.json", JSON.stringify(marked));
}

const byArgoCd: Marks = {
  annotations: { "argocd.argoproj.io/tracking-id": "cluster-dns-prod:apps/DaemonSet:kube-system/node-local-dns" },
};
const argocd = 'gitops: {argocd: {repoURL: "https://git.example/fleet"}}';

function renderedObjects(): KubernetesObject[] {
  const paths = Object.keys(scratch.snapshot("dist")).filter((path) =>
    /^prod\/(?!kubelet)[^/]+\/(?!kust).*\.yaml$/.test(path),
  );
  return paths.map((path) => parse(scratch.read(join("dist", path))) as KubernetesObject);
}

it("asks the API server by a dry run, and writes nothing to it", () => {
  const path = scratch.writeProgram("kubectl", fakeKubectl);
  const args = ["--live", "--context", "prod", "--field-manager", "argocd-controller", "prod"];
  expect(scratch.runBundleWith(path, "diff", ...args)).toEqual(
    success(/^prod: \d+ new\n {2}new [^]*new DaemonSet kube-system\/node-local-dns: starts/),
  );
  expect(scratch.read("calls").trim().split("\n")).toEqual([
    "--context prod api-resources --verbs=list -o name",
    "--context prod apply --server-side --force-conflicts --dry-run=server --field-manager argocd-controller -o json -f -",
    "--context prod get --ignore-not-found -o json -f -",
    expect.stringMatching(/ get serviceaccounts,\S*,daemonsets\.apps,\S* --all-namespaces -l .*part-of=cluster-dns,/),
    "--context prod get configmaps,deployments,daemonsets --namespace kube-system -o json",
  ]);
});

it("reports that nothing changes, whatever the server keeps for itself, and kubectl notes about an object", () => {
  scratch.write("clusters/prod.yaml", `${good}smokeTest: true\n`);
  applyAll({ annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } });
  expect(diffLive("--context", "prod")).toEqual({ exitCode: 0, stdout: "nothing changes\n", stderr: "" });
});

it("names a Corefile that nothing reads any more", () => {
  applyAll();
  const rendered = renderedObjects();
  const old = { kind: "ConfigMap", metadata: { name: "coredns" }, data: { Corefile: ".:53 {\n}\n" } };
  scratch.write("proxy", JSON.stringify({ items: [...rendered, old] }));
  expect(diffLive("--context", "prod").stdout).toContain(
    "  BY HAND: no workload mounts ConfigMap kube-system/coredns, the Corefile of a CoreDNS before ours; delete it once you will not go back to that: kubectl --context prod delete configmap coredns --namespace kube-system\n",
  );
});

it.each<[what: string, by: Marks, gitops: string, effect: string]>([
  ["Flux does not know", {}, "gitops: {flux: {}}", "\n      stays in the cluster, as Flux does not know it"],
  ["Argo CD has applied", byArgoCd, argocd, ": ends its pods"],
])("says what becomes of that which %s", (_, by, gitops, effect) => {
  applyAll(by);
  scratch.write("clusters/prod.yaml", `${good}nodeLocalDNS: {state: disabled}\n${gitops}\n`);
  const { stdout } = diffLive("--context", "prod");
  expect(stdout).toContain(`deleted DaemonSet kube-system/node-local-dns${effect}`);
  expect(stdout).not.toMatch(/(new|changed|deleted) (Kustomization|AppProject|Application) /);
});

it("shows what becomes of a Corefile that is not ours, and warns of another cluster domain", () => {
  const metadata = { name: "coredns", namespace: "kube-system" };
  const mounts = (...names: string[]) => names.map((name) => ({ name, configMap: { name } }));
  const Corefile = ".:53 {\n    kubernetes k8s.x in-addr.arpa ip6.arpa {\n    }\n    forward . 192.0.2.1\n}\n";
  const kubeadm = [
    { kind: "Deployment", metadata, spec: { template: { spec: { volumes: mounts("coredns", "zones") } } } },
    { kind: "ConfigMap", metadata, data: { Corefile } },
    { kind: "ConfigMap", metadata: { ...metadata, name: "zones" }, data: { "x.db": "" } },
  ];
  scratch.write("live.json", JSON.stringify(kubeadm));
  const { stdout } = diffLive("--context", "prod");
  expect(stdout).toContain("WARNING: the cluster domain changes from k8s.x to cluster.local. ");
  expect(stdout).toMatch(/new ConfigMap kube-system\/coredns-\w{10}: replaces coredns\n[^]*\n {6}- .*192\.0\.2\.1\n/);
  expect(stdout).not.toContain("deleted");
});

it("looks for monitors and rules where the cluster has such kinds", () => {
  const monitors = ["podmonitors", "prometheusrules", "servicemonitors"].map((of) => `${of}.monitoring.coreos.com`);
  scratch.write("served", [...builtIn, ...monitors].join("\n"));
  diffLive("--context", "prod");
  const [, asked = ""] = / get (\S+) --all-namespaces /.exec(scratch.read("calls")) ?? [];
  expect(asked.split(",")).toEqual(expect.arrayContaining(monitors));
  expect(asked.split(",")).not.toContain("certificates.cert-manager.io");
});

it("names what the cluster has no kind for, and shows the rest", () => {
  scratch.write("clusters/prod.yaml", `${good}monitoring: {}\n`);
  expect(diffLive("--context", "prod")).toEqual({
    exitCode: 1,
    stdout: expect.stringContaining("new DaemonSet kube-system/node-local-dns: "),
    stderr: expect.stringMatching(/^the cluster does not serve servicemonitors\.monitoring\S+ [^]*; install the CRD/),
  });
  expect(scratch.read("calls")).not.toContain("monitors.");
});

it("warns if kube-proxy runs in another mode", () => {
  applyAll();
  const data = { "config.conf": "kind: KubeProxyConfiguration\nmode: nftables\n" };
  scratch.write("proxy", JSON.stringify({ kind: "ConfigMap", metadata: { name: "kube-proxy" }, data }));
  expect(diffLive("--context", "prod").stdout).toContain("prod: 1 warning\n  WARNING: kubeProxyMode is iptables,");
});

const asked = "get configmaps,deployments,daemonsets";
it.each([
  ["that it may not read kube-proxy's configuration", "proxy-forbidden", `${asked} [^]*: configmaps is forb`],
  ["that kubectl printed something else", "proxy", `^kubectl ${asked}: is not JSON `],
])("reports %s", (_, file, problem) => {
  applyAll();
  scratch.write(file, "<html>");
  expect(diffLive("--context", "prod")).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(problem) });
});

const service = { kind: "Service", metadata: { name: "kube-dns" } };
it.each([
  ["nothing", "", "kubectl prints no objects"],
  ["something else", "<html>", 'kubectl did not print objects, but "<html>"'],
  ["too little", JSON.stringify({ items: [service] }), "kubectl did not say what becomes of "],
])("reports that kubectl printed %s", (_, said, problem) => {
  scratch.write("said", said);
  expect(diffLive("--context", "prod")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(problem) });
});

it("reports what the server refuses, and shows the rest", () => {
  applyAll();
  // Fewer objects, of which kubectl is asked in ever smaller lists.
  scratch.write("clusters/prod.yaml", good.replace(/^agentImage.*\n/m, ""));
  scratch.write("refused", "Deployment coredns");
  const { exitCode, stdout, stderr } = diffLive("--context", "prod");
  const refused = /^kubectl [^\n]*: Deployment coredns is invalid\n$/;
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(refused)]);
  expect(stdout).toContain("deleted DaemonSet kube-system/node-local-dns-watchdog");
  expect(stdout).not.toContain("Deployment");
});

it("says what of a refused object cannot be changed, and warns of what that takes from running pods", () => {
  applyAll();
  scratch.write("clusters/prod.yaml", good.replace("10.96.0.10", "10.96.0.53"));
  scratch.write("refused", "Service kube-dns");
  const { exitCode, stdout, stderr } = diffLive("--context", "prod");
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("kube-dns is invalid") });
  expect(stdout).toContain("  WARNING: Service kube-dns leaves 10.96.0.10, ");
  expect(stdout).toMatch(
    /BY HAND: changed Service kube-system\/kube-dns: spec\.clusterIP, spec\.clusterIPs\[0\] cannot be changed\. .*\n( {6}[-+] spec\.clusterIPs?.*\n){4}(?! {6})/,
  );
});

it("shows what leaves where nothing of ours is left", () => {
  applyAll();
  const existing = "nodeLocalDNS: {state: disabled}\nauthoritativeDNS: {kind: Existing}\n";
  scratch.write("clusters/prod.yaml", `clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n${existing}`);
  const stdout = expect.stringMatching(/: this renders no CoreDNS\. [^]*deleted DaemonSet \S+-dns: ends its pods\n/);
  expect(diffLive("--context", "prod")).toEqual({ exitCode: 0, stderr: "", stdout });
});

it("fails once if kubectl cannot ask, or it is unclear for which cluster", () => {
  expect(diffLive("--context", "nowhere")).toEqual(
    refusal(
      /^kubectl --context nowhere api-resources .*: error: context does not exist\nkubectl has no context nowhere: give one /,
    ),
  );
  scratch.write("no-context", "");
  expect(diffLive().stderr).toMatch(/: The connection was refused\nkubectl has no current context: give one that /);
  scratch.write("clusters/other.yaml", good);
  expect(diffLive().stderr).toBe("clusters: has 2 clusters; name the one to compare: other, prod\n");
});
