import { expect, it } from "vitest";
import { refusePlacement, type GuardedWorkload } from "../../../src/model/admission/placement-guard";
import type { Node } from "../../../src/model/placement/node";

const infra = "node-role.kubernetes.io/infra";
const linux = { "kubernetes.io/os": "linux" };
const worker: Node = { name: "worker", labels: linux, taints: [], unschedulable: false };
const taints: Node["taints"] = [{ key: infra, effect: "NoSchedule" }];
const nodes: Node[] = [worker, { ...worker, name: "infra", labels: { ...linux, [infra]: "" }, taints }];
const workload = (nodeSelector: { [label: string]: string }, more: object = {}): GuardedWorkload => ({
  spec: { template: { spec: { nodeSelector, ...more } } },
});
const onInfra = workload({ [infra]: "" }, { tolerations: [{ key: infra, operator: "Exists", effect: "NoSchedule" }] });
const notTolerated = workload({ [infra]: "" });
const nowhere = workload({ zone: "moon" });
const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } };
const byAffinity = workload({ zone: "moon" }, { affinity: { nodeAffinity: required } });

it.each([
  ["a placement that fits", onInfra, undefined, nodes, false],
  ["a selector that matches nothing", nowhere, undefined, nodes, true],
  ["a taint that is not tolerated", notTolerated, undefined, nodes, true],
  ["an update to a placement that fits none", nowhere, onInfra, nodes, true],
  ["an update of something else while the placement fits none already", nowhere, nowhere, nodes, false],
  ["nodes not known", nowhere, undefined, undefined, false],
  ["a cluster without nodes", nowhere, undefined, [], false],
  ["required node affinity, which is not looked at", byAffinity, undefined, nodes, false],
])("%s", (_name, now, old, seen, refused) => {
  expect(refusePlacement("Deployment", "coredns", now, old, seen) !== undefined).toBe(refused);
});

it("looks beyond what nodes suffer from at the moment", () => {
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;
  const down = nodes.map((node) => ({ ...node, taints: [...node.taints, notReady] }));
  expect(refusePlacement("Deployment", "coredns", onInfra, undefined, down)).toBeUndefined();
});

it("lets a DaemonSet onto cordoned nodes, and no Deployment", () => {
  const cordoned = nodes.map((node) => ({ ...node, taints: [], unschedulable: true }));
  expect(refusePlacement("DaemonSet", "coredns", workload({}), undefined, cordoned)).toBeUndefined();
  expect(refusePlacement("Deployment", "coredns", workload({}), undefined, cordoned)).toContain("worker: is cordoned");
});

it("states what was given, why each node does not match, and what to do", () => {
  expect(refusePlacement("Deployment", "coredns", notTolerated, undefined, nodes)).toBe(
    `Deployment coredns: node placement parameters match 0 of 2 nodes, DNS would run nowhere. nodeSelector {"${infra}":""}, tolerations []. worker: has no label ${infra}=""; infra: taint ${infra}:NoSchedule is not tolerated. Change nodePlacement in the cluster file, or label, untaint or uncordon a node first.`,
  );
});

it("refuses what would take long to check, whatever the nodes are", () => {
  const labels = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, ""]));
  expect(refusePlacement("Deployment", "coredns", workload(labels), undefined, nodes)).toBe(
    "Deployment coredns: a nodeSelector of 65 labels and 0 tolerations are too many to check; at most 64 each.",
  );
});
