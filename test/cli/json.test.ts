import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const node = { kind: "Node", metadata: { name: "n1", labels: { "kubernetes.io/os": "windows" } } };

const scratch = Scratch.forEach();
beforeEach(() => {
  scratch.write("clusters/dev.yaml", good);
});

/** What a command prints as JSON; nothing else may be printed. */
function json(...args: string[]): { exitCode: number | null; outcome: unknown } {
  const { exitCode, stdout, stderr } = scratch.run(...args, "--format", "json");
  expect(stderr).toBe("");
  return { exitCode, outcome: JSON.parse(stdout) as unknown };
}

describe("--format json", () => {
  it.each([["synth"], ["diff"], ["explain", "dev"], ["preflight", "dev", "--nodes", "nodes.json"]])(
    "%s reports mistakes with their places",
    (...args) => {
      scratch.write("clusters/dev.yaml", good.replace("iptables", "ipv"));
      expect(json(...args)).toEqual({
        exitCode: 1,
        outcome: {
          problems: [
            {
              file: "clusters/dev.yaml",
              line: 2,
              column: 16,
              message: expect.stringMatching(/^kubeProxyMode: "ipv" is not one of /),
            },
          ],
          notes: [],
          result: null,
        },
      });
    },
  );

  it("synth tells what it wrote", () => {
    const { exitCode, outcome } = json("synth");
    expect(exitCode).toBe(0);
    expect(outcome).toEqual({
      problems: [],
      notes: [{ file: "clusters/dev.yaml", message: expect.stringContaining("without failover") }],
      result: {
        clusters: 1,
        created: expect.arrayContaining(["dev/kustomization.yaml"]),
        changed: [],
        deleted: [],
        unchanged: 0,
      },
    });
  });

  it("synth --check names stale files", () => {
    scratch.run("synth");
    rmSync(join(scratch.folder, "dist/dev/kustomization.yaml"));
    expect(json("synth", "--check")).toMatchObject({
      exitCode: 1,
      outcome: {
        problems: [
          { file: "dist/dev/kustomization.yaml", message: "is missing" },
          { message: "dist does not match the cluster files; run npx cdk8s-cluster-dns synth" },
        ],
        result: { created: ["dev/kustomization.yaml"] },
      },
    });
  });

  it("diff lists changes", () => {
    scratch.run("synth");
    scratch.write("clusters/dev.yaml", `${good}authoritativeDNS: {replicas: 3}\n`);
    expect(json("diff")).toEqual({
      exitCode: 0,
      outcome: {
        problems: [],
        notes: [],
        result: {
          clusters: [
            {
              name: "dev",
              warnings: [],
              steps: [],
              objects: [
                {
                  what: "changed",
                  object: "Deployment kube-system/coredns",
                  differences: [{ path: "spec.replicas", before: 2, after: 3 }],
                  steps: [],
                  effects: [],
                  needsHand: false,
                },
              ],
              kubelet: [],
            },
          ],
        },
      },
    });
  });

  it("preflight shows placements, even if one is a problem", () => {
    scratch.write("clusters/dev.yaml", `${good}nodeLocalDNS: {state: disabled}\n`);
    scratch.write("nodes.json", JSON.stringify({ kind: "List", items: [node] }));
    expect(json("preflight", "dev", "--nodes", "nodes.json")).toMatchObject({
      exitCode: 1,
      outcome: {
        problems: [{ file: "clusters/dev.yaml", message: expect.stringContaining("match 0 schedulable nodes") }],
        result: {
          placements: [{ workload: { kind: "Deployment", name: "coredns" }, matches: [{ node: "n1" }] }],
          kubeProxyModes: [],
        },
      },
    });
  });
});
