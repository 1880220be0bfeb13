import { beforeAll, describe, expect, it } from "vitest";
import { kubeProxy } from "../live/take-over/objects";
import { part, refusal, Scratch } from "./scratch";

const node = (name: string, os: string, taints: object[] = []) => {
  return { kind: "Node", metadata: { name, labels: { "kubernetes.io/os": os } }, spec: { taints } };
};
const dnsOnly = { key: "dns-only", effect: "NoSchedule" };
const list = (...items: object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\nnodeLocalDNS: { state: disabled }\n";

const scratch = new Scratch();
beforeAll(() => {
  scratch.write("clusters/prod.yaml", good);
  const [linux1, linux2] = [node("linux-1", "linux"), node("linux-2", "linux", [dnsOnly])];
  scratch.write("mixed.json", list(linux1, node("win-1", "windows"), linux2));
  scratch.write("utf16.json", Buffer.from(`\ufeff${list(node("linux-1", "linux"))}`, "utf16le"));
  scratch.write("tainted.json", list(node("linux-1", "linux", [dnsOnly]), kubeProxy("ipvs")));
});

describe("cluster-dns preflight", () => {
  it("shows what runs where, and why not elsewhere", () => {
    expect(scratch.run("preflight", "prod", "--nodes", "mixed.json")).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Deployment coredns: 1 of 3 nodes
  linux-1  runs
  win-1    does not run: label kubernetes.io/os is "windows", not "linux"
  linux-2  does not run: taint dns-only:NoSchedule is not tolerated

kube-proxy: mode not checked: nodes do not show it, and the list lacks its ConfigMap
`,
    });
  });

  it("fails if a workload would run nowhere, or kube-proxy runs in another mode", () => {
    const { exitCode, stdout, stderr } = scratch.run("preflight", "prod", "--nodes", "tainted.json");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("Deployment coredns: 0 of 1 nodes\n");
    expect(stdout).toContain("kube-proxy: ipvs, according to ConfigMap kube-proxy (config.conf)\n");
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/^clusters\/prod\.yaml:1:1 authoritativeDNS\.nodePlacement: .* match 0 .* of 1/),
      expect.stringMatching(/^clusters\/prod\.yaml:2:16 kubeProxyMode: iptables is configured, but ConfigMap/),
      "",
    ]);
  });

  it("reads standard input", () => {
    expect(scratch.runWith({ input: list(node("a", "linux")) }, "preflight", "prod", "--nodes=-").stdout).toContain(
      "1 of 1 nodes\n  a  runs\n",
    );
  });

  it("asks kubectl", () => {
    const environment = scratch.writeProgram(
      "kubectl",
      '#!/bin/sh\n[ "$2" = prod ] && exec cat tainted.json\necho no context "$2" >&2\nexit 1\n',
    );
    expect(scratch.runWith({ environment }, "preflight", "prod", "--context", "prod").stdout).toContain(
      "kube-proxy: ipvs,",
    );
    expect(scratch.runWith({ environment }, "preflight", "prod", "--context", "test")).toEqual(
      refusal(/^kubectl --context test -n kube-system get nodes,.* -o json: no context test; kubectl has no context /),
    );
  });

  it.each<[args: string[], exitCode: number, message: string]>([
    [["prod"], 2, "--nodes is missing"],
    [["prod", "--nodes", "mixed.json", "--context", "prod"], 2, "--nodes and --context exclude each other"],
    [["--nodes", "mixed.json"], 2, "takes one cluster, but got 0; clusters has prod"],
    [["prod", "test", "--nodes", "mixed.json"], 2, "takes one cluster, but got 2"],
    [["nope", "--nodes", "mixed.json"], 1, 'clusters: has no cluster "nope"; it has prod'],
    [["--clusters", "nope", "prod", "--nodes", "mixed.json"], 1, "nope: cannot be read as a folder of cluster files"],
    [["prod", "--nodes", "nope.json"], 1, "nope.json: cannot be read (ENOENT)"],
    [["prod", "--nodes", "utf16.json"], 1, "utf16.json: is not valid UTF-8 (Windows PowerShell writes UTF-16)"],
    [["prod", "--nodes", "n".repeat(300)], 1, ": cannot be read (ENAMETOOLONG)"],
    [["prod", "--nodes", "clusters/prod.yaml"], 1, "is not valid JSON); YAML is not read; record it with"],
  ])("%j: exit code %i, %s", (args, exitCode, message) => {
    const run = scratch.run("preflight", ...args);
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).toContain(message);
  });
});

describe("cdk8s-cluster-dns synth --nodes", () => {
  it("renders if every workload has nodes", () => {
    scratch.write("nodes/prod.json", list(node("a", "linux")));
    expect(scratch.run("synth", "--nodes", "nodes", "--out", "rendered")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scratch.run("preflight", "prod", "--nodes", "nodes")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("wants a folder", () => {
    scratch.write("nodes.json", list(node("a", "linux")));
    expect(scratch.run("synth", "--nodes", "nodes.json", "--out", "refused")).toEqual(
      refusal(part("--nodes nodes.json is a file; accepted: a folder, with a file NAME.json for each cluster\n"), 2),
    );
  });

  it("writes nothing if a workload has none, or a cluster's nodes are not recorded", () => {
    scratch.write("nodes/prod.json", list(node("a", "windows")));
    scratch.write("clusters/test.yaml", good);
    const { exitCode, stderr } = scratch.run("synth", "--nodes", "nodes", "--out", "refused");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "clusters/prod.yaml:1:1 authoritativeDNS.nodePlacement: Deployment coredns: node placement parameters match 0",
    );
    expect(stderr).toContain("nodes/test.json: cannot be read (ENOENT); record it with `kubectl get nodes -o json`");
    expect(() => scratch.snapshot("refused")).toThrow("ENOENT");
  });
});
