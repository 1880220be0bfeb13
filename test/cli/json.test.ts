import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const node = { kind: "Node", metadata: { name: "n1", labels: { "kubernetes.io/os": "windows" } } };

const scratch = Scratch.forEach();
beforeEach(() => {
  scratch.write("clusters/dev.yaml", good);
});

/** The exit code, and what a command prints as JSON; nothing else may be printed. */
function json(...args: string[]): object {
  const { exitCode, stdout, stderr } = scratch.run(...args, "--format", "json");
  expect(stderr).toBe("");
  return { exitCode, ...(JSON.parse(stdout) as object) };
}

it.each([["synth"], ["diff"], ["explain", "dev"], ["preflight", "dev", "--nodes", "nodes.json"]])(
  "%s reports mistakes with their places",
  (...args) => {
    scratch.write("clusters/dev.yaml", good.replace("iptables", "ipv"));
    const message: unknown = expect.stringMatching(/^kubeProxyMode: "ipv" is not one of /);
    const problems = [{ file: "clusters/dev.yaml", line: 2, column: 16, message }];
    expect(json(...args)).toEqual({ exitCode: 1, problems, notes: [], result: null });
  },
);

it("synth tells what it wrote", () => {
  const created: unknown = expect.arrayContaining(["dev/kustomization.yaml"]);
  expect(json("synth")).toEqual({
    exitCode: 0,
    problems: [],
    notes: [{ file: "clusters/dev.yaml", message: expect.stringContaining("without failover") }],
    result: { clusters: 1, created, changed: [], deleted: [], unchanged: 0 },
  });
});

it("synth --check names stale files", () => {
  scratch.run("synth");
  rmSync(join(scratch.folder, "dist/dev/kustomization.yaml"));
  expect(json("synth", "--check")).toMatchObject({
    exitCode: 1,
    problems: [
      { file: "dist/dev/kustomization.yaml", message: "is missing" },
      { message: "dist does not match the cluster files; run npx cdk8s-cluster-dns synth" },
    ],
    result: { created: ["dev/kustomization.yaml"] },
  });
});

it("diff lists changes", () => {
  scratch.run("synth");
  scratch.write("clusters/dev.yaml", `${good}authoritativeDNS: {replicas: 3}\n`);
  const differences = [{ path: "spec.replicas", before: 2, after: 3 }];
  const none = { steps: [], effects: [], needsHand: false };
  const objects = [{ what: "changed", object: "Deployment kube-system/coredns", differences, ...none }];
  const clusters = [{ name: "dev", warnings: [], steps: [], objects, kubelet: [] }];
  expect(json("diff")).toEqual({ exitCode: 0, problems: [], notes: [], result: { clusters } });
});

it("preflight shows placements, even if one is a problem", () => {
  scratch.write("clusters/dev.yaml", `${good}nodeLocalDNS: {state: disabled}\n`);
  scratch.write("nodes.json", JSON.stringify({ kind: "List", items: [node] }));
  const placements = [{ workload: { kind: "Deployment", name: "coredns" }, matches: [{ node: "n1" }] }];
  expect(json("preflight", "dev", "--nodes", "nodes.json")).toMatchObject({
    exitCode: 1,
    problems: [{ file: "clusters/dev.yaml", message: expect.stringContaining("match 0 schedulable nodes") }],
    result: { placements, kubeProxyModes: [] },
  });
});
