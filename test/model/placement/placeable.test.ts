import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Taint } from "../../../src/model/kubernetes/kinds";
import type { Node } from "../../../src/model/placement/node";
import { placeable, type PlacedWorkload } from "../../../src/model/placement/placeable";
import type { NodePlacement, Toleration } from "../../../src/model/props/placement";

const linux = { "kubernetes.io/os": "linux" };
const role = (name: string) => `node-role.kubernetes.io/${name}`;
const [infra, controlPlane] = ["infra", "control-plane"].map(role) as [string, string];
const noSchedule = (key: string, more: object = {}): Taint => ({ key, ...more, effect: "NoSchedule" });
const exists = (key: string): Toleration => ({ key, operator: "Exists", effect: "NoSchedule" });
const everyTaint: Toleration = { operator: "Exists" };

function node(name: string, over: Partial<Node> = {}): Node {
  return { name, labels: linux, taints: [], unschedulable: false, ...over };
}

const cluster: readonly Node[] = [
  node("control-plane", { labels: { ...linux, [controlPlane]: "" }, taints: [noSchedule(controlPlane)] }),
  node("infra", { labels: { ...linux, [infra]: "" }, taints: [noSchedule(infra)] }),
  node("dns", { taints: [noSchedule("dns-only")] }),
  node("worker"),
  node("windows", { labels: { "kubernetes.io/os": "windows" } }),
];

const deployment: PlacedWorkload = { kind: "Deployment", hostNetwork: false };
const daemonSet: PlacedWorkload = { kind: "DaemonSet", hostNetwork: false };
const hostNetwork: PlacedWorkload = { kind: "DaemonSet", hostNetwork: true };

function names(nodes: readonly Node[], placement: NodePlacement, workload: PlacedWorkload): string[] {
  return placeable(nodes, placement, workload).flatMap((each) => (each.reasons.length === 0 ? [each.node] : []));
}

describe("the use cases of configurable placement", () => {
  it.each<[story: string, placement: NodePlacement, matches: string[]]>([
    ["untainted Linux nodes by default", { nodeSelector: linux }, ["worker"]],
    ["infra nodes", { nodeSelector: { ...linux, [infra]: "" }, tolerations: [exists(infra)] }, ["infra"]],
    ["control plane", { nodeSelector: { [controlPlane]: "" }, tolerations: [exists(controlPlane)] }, ["control-plane"]],
    ["a selector for control-plane nodes without the toleration", { nodeSelector: { [controlPlane]: "" } }, []],
    ["nodes tainted dns-only, too", { nodeSelector: linux, tolerations: [exists("dns-only")] }, ["dns", "worker"]],
    ["a selector without the operating system takes Windows nodes in", {}, ["worker", "windows"]],
    ["every taint", { nodeSelector: linux, tolerations: [everyTaint] }, ["control-plane", "infra", "dns", "worker"]],
    ["a selector that matches none", { nodeSelector: { ...linux, [role("dns")]: "" }, tolerations: [everyTaint] }, []],
    ["a label with another value", { nodeSelector: { [infra]: "yes" }, tolerations: [everyTaint] }, []],
  ])("%s", (_story, placement, matches) => {
    expect(names(cluster, placement, deployment)).toEqual(matches);
    expect(names(cluster, placement, hostNetwork)).toEqual(matches);
  });

  it("finds no node if every node is tainted", () => {
    const tainted = cluster.map((one) => ({ ...one, taints: [noSchedule("maintenance")] }));
    expect(names(tainted, { nodeSelector: linux }, deployment)).toEqual([]);
    expect(names(tainted, { nodeSelector: linux, tolerations: [everyTaint] }, daemonSet)).toHaveLength(4);
  });
});

describe("tolerations", () => {
  const max = 2n ** 63n - 1n;
  it.each<[toleration: Toleration, taint: Taint, tolerated: boolean]>([
    [{ key: "a", operator: "Exists" }, { key: "a", value: "1", effect: "NoSchedule" }, true],
    [{ key: "a", operator: "Exists" }, { key: "b", effect: "NoSchedule" }, false],
    [{ key: "a", operator: "Exists", effect: "NoExecute" }, { key: "a", effect: "NoSchedule" }, false],
    [{ operator: "Exists" }, { key: "a", value: "1", effect: "NoExecute" }, true],
    [{ operator: "Exists", effect: "NoSchedule" }, { key: "a", effect: "NoExecute" }, false],
    [{ key: "", operator: "Exists" }, { key: "a", effect: "NoSchedule" }, true],
    [{ key: "a", value: "1" }, { key: "a", value: "1", effect: "NoSchedule" }, true],
    [{ key: "a", operator: "Equal", value: "1" }, { key: "a", value: "2", effect: "NoSchedule" }, false],
    [{ key: "a", operator: "Equal" }, { key: "a", effect: "NoSchedule" }, true],
    [{ key: "a", operator: "Equal" }, { key: "a", value: "1", effect: "NoSchedule" }, false],
    [{ key: "sla", operator: "Gt", value: "900" }, { key: "sla", value: "950", effect: "NoSchedule" }, true],
    [{ key: "sla", operator: "Gt", value: "950" }, { key: "sla", value: "950", effect: "NoSchedule" }, false],
    [{ key: "sla", operator: "Lt", value: "900" }, { key: "sla", value: "-1", effect: "NoExecute" }, true],
    [{ key: "sla", operator: "Lt", value: "-1" }, { key: "sla", value: "0", effect: "NoExecute" }, false],
    [{ key: "sla", operator: "Gt", value: "1" }, { key: "sla", value: "high", effect: "NoSchedule" }, false],
    [{ key: "sla", operator: "Gt", value: "1" }, { key: "sla", effect: "NoSchedule" }, false],
    [{ key: "sla", operator: "Gt", value: "1" }, { key: "sla", value: "02", effect: "NoSchedule" }, false],
    [{ key: "sla", operator: "Lt", value: "-0" }, { key: "sla", value: "-1", effect: "NoSchedule" }, false],
    [{ key: "sla", operator: "Lt", value: `${max}` }, { key: "sla", value: `${max - 1n}`, effect: "NoSchedule" }, true],
    [{ key: "sla", operator: "Lt", value: `${max + 1n}` }, { key: "sla", value: "1", effect: "NoSchedule" }, false],
  ])("%j and taint %j: %s", (toleration, taint, tolerated) => {
    const placed = names([node("n", { taints: [taint] })], { tolerations: [toleration] }, deployment);
    expect(placed).toEqual(tolerated ? ["n"] : []);
  });

  it("are needed for every taint, except PreferNoSchedule", () => {
    const taints = [noSchedule("a"), noSchedule("b"), { key: "c", effect: "PreferNoSchedule" } as const];
    expect(names([node("n", { taints })], { tolerations: [exists("a")] }, deployment)).toEqual([]);
    expect(names([node("n", { taints })], { tolerations: [exists("a"), exists("b")] }, deployment)).toEqual(["n"]);
  });
});

describe("what the cluster adds to its pods' tolerations", () => {
  const kubernetes = "node.kubernetes.io";
  it.each<[taint: Taint, deployments: boolean, daemonSets: boolean, daemonSetsOfTheHost: boolean]>([
    [{ key: `${kubernetes}/not-ready`, effect: "NoExecute" }, true, true, true],
    [{ key: `${kubernetes}/unreachable`, effect: "NoExecute" }, true, true, true],
    [{ key: `${kubernetes}/not-ready`, effect: "NoSchedule" }, false, false, false],
    [{ key: `${kubernetes}/unreachable`, effect: "NoSchedule" }, false, false, false],
    [noSchedule(`${kubernetes}/disk-pressure`), false, true, true],
    [noSchedule(`${kubernetes}/memory-pressure`), false, true, true],
    [noSchedule(`${kubernetes}/pid-pressure`), false, true, true],
    [noSchedule(`${kubernetes}/unschedulable`), false, true, true],
    [noSchedule(`${kubernetes}/network-unavailable`), false, false, true],
    [noSchedule("node.cloudprovider.kubernetes.io/uninitialized", { value: "true" }), false, false, false],
  ])("taint %j: Deployment %s, DaemonSet %s, on the host's network %s", (taint, ...expected) => {
    const tainted = [node("n", { taints: [taint] })];
    const placed = [deployment, daemonSet, hostNetwork].map((each) => names(tainted, {}, each).length === 1);
    expect(placed).toEqual(expected);
  });

  it("lets DaemonSets run on cordoned nodes, and Deployments that tolerate the cordon", () => {
    const cordoned = [node("n", { unschedulable: true, taints: [noSchedule(`${kubernetes}/unschedulable`)] })];
    expect(placeable(cordoned, {}, deployment)).toEqual([{ node: "n", reasons: ["is cordoned"] }]);
    expect(names(cordoned, {}, daemonSet)).toEqual(["n"]);
    expect(names(cordoned, { tolerations: [everyTaint] }, deployment)).toEqual(["n"]);
    expect(names(cordoned, { tolerations: [exists(`${kubernetes}/unschedulable`)] }, deployment)).toEqual(["n"]);
  });
});

describe("how long pods stay", () => {
  const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
  const stays = (taints: Taint[], tolerations: Toleration[], workload: PlacedWorkload) =>
    placeable([node("n", { taints })], { tolerations }, workload)[0]?.evictedAfter;
  const execute = { operator: "Exists", effect: "NoExecute" } as const;
  const forSeconds = (key: string, tolerationSeconds: number): Toleration => ({ key, ...execute, tolerationSeconds });

  it("is no time at all if a toleration of not-ready matches nothing: the cluster then adds none", () => {
    const odd: Toleration = { key: notReady.key, operator: "Equal", value: "x", effect: "NoExecute" };
    expect(names([node("n", { taints: [notReady] })], { tolerations: [odd] }, deployment)).toEqual([]);
  });

  it("is five minutes for a Deployment on a node that is not ready, forever for a DaemonSet", () => {
    expect(stays([notReady], [], deployment)).toBe(300);
    expect(stays([notReady], [], daemonSet)).toBeUndefined();
    expect(stays([notReady], [forSeconds(notReady.key, 10)], daemonSet)).toBeUndefined();
  });

  it("is the shortest time of all taints, and never negative", () => {
    const taints: Taint[] = [{ key: "a", effect: "NoExecute" }, { key: "b", effect: "NoExecute" }, noSchedule("c")];
    expect(stays(taints, [forSeconds("a", 60), forSeconds("b", 30), exists("c")], deployment)).toBe(30);
    expect(stays(taints, [forSeconds("a", -5), { operator: "Exists" }], deployment)).toBe(0);
    expect(stays(taints, [everyTaint, forSeconds("a", 60)], deployment)).toBeUndefined();
  });
});

it("lists every reason against a node", () => {
  const wanted = { ...linux, "node-role.kubernetes.io/infra": "", zone: "a", constructor: "x" };
  const labels = { "kubernetes.io/os": "windows", zone: "b" };
  const taints: Taint[] = [
    noSchedule("dns-only"),
    { key: "sla", value: "950", effect: "NoExecute" },
    noSchedule("node.cloudprovider.kubernetes.io/uninitialized"),
  ];
  const odd = node("n", { labels, taints, unschedulable: true });
  expect(placeable([odd], { nodeSelector: wanted }, deployment)[0]?.reasons).toEqual([
    'label kubernetes.io/os is "windows", not "linux"',
    'has no label node-role.kubernetes.io/infra=""',
    'label zone is "b", not "a"',
    'has no label constructor="x"',
    "is cordoned",
    "taint dns-only:NoSchedule is not tolerated",
    "taint sla=950:NoExecute is not tolerated",
    "taint node.cloudprovider.kubernetes.io/uninitialized:NoSchedule is not tolerated, and goes once the node is ready",
  ]);
});

describe("properties", () => {
  const key = fc.constantFrom("a", "b", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable");
  const value = fc.constantFrom("", "1", "2");
  const effect = fc.constantFrom("NoSchedule", "PreferNoSchedule", "NoExecute");
  const aNode = fc.record({
    name: fc.string(),
    labels: fc.dictionary(key, value),
    taints: fc.array(fc.record({ key, value, effect }) as fc.Arbitrary<Taint>, { maxLength: 3 }),
    unschedulable: fc.boolean(),
  });
  const aToleration = fc.record(
    { key, operator: fc.constantFrom("Exists", "Equal", "Gt", "Lt"), value, effect },
    { requiredKeys: ["operator"] },
  ) as fc.Arbitrary<Toleration>;
  const selectors = fc.dictionary(key, value, { maxKeys: 1 });
  const aPlacement = fc.record({ nodeSelector: selectors, tolerations: fc.array(aToleration, { maxLength: 3 }) });
  const aWorkload = fc.constantFrom(deployment, daemonSet, hostNetwork);

  type Placed = { nodeSelector: { [label: string]: string }; tolerations: Toleration[] };
  /** Shows nodes, a placement, and what finds the nodes of another. */
  const check = (see: (nodes: Node[], placement: Placed, of: (placement: Placed) => string[]) => void) => {
    const seen = fc.property(fc.array(aNode), aPlacement, aWorkload, (nodes, placement, workload) => {
      see(nodes, placement, (other) => names(nodes, other, workload));
    });
    fc.assert(seen);
  };

  it("one more toleration never costs a node", () =>
    check((_nodes, placement, of) => {
      const [another, ...tolerations] = placement.tolerations;
      // Next to a toleration of not-ready, matching or not, the cluster does not add its own.
      if (another?.key !== "a" && another?.key !== "b") return;
      expect(of(placement)).toEqual(expect.arrayContaining(of({ ...placement, tolerations })));
    }));

  it("one more label in the selector never gains a node", () =>
    check((_nodes, placement, of) =>
      expect(of({ ...placement, nodeSelector: {} })).toEqual(expect.arrayContaining(of(placement))),
    ));

  it("a blanket toleration leaves only the selector to decide", () =>
    check((nodes, { nodeSelector }, of) => {
      const isWanted = ({ labels }: Node) => Object.entries(nodeSelector).every(([label, is]) => labels[label] === is);
      const selected = nodes.filter(isWanted).map(({ name }) => name);
      expect(of({ nodeSelector, tolerations: [everyTaint] })).toEqual(selected);
    }));
});
