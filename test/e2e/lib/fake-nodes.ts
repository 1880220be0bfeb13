import fc from "fast-check";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import type { Taint } from "../../../src/model/kubernetes/kinds";
import type { NodePlacement, Toleration } from "../../../src/model/props/placement";

/** A Node without a kubelet. */
export interface FakeNode {
  readonly node: KubernetesObject;
  /** What a kubelet would renew; undefined for a silent node. */
  readonly lease: (() => KubernetesObject) | undefined;
  /** `KEY:EFFECT` for each taint that it has once the controllers have seen it. */
  readonly taints: readonly string[];
}

const os = "kubernetes.io/os";
const infra = "node-role.kubernetes.io/infra";
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;
const builtin = (name: string) => `node.kubernetes.io/${name}`;

/** Maps a node's condition to the resulting taint. */
const conditions = {
  MemoryPressure: "memory-pressure",
  DiskPressure: "disk-pressure",
  PIDPressure: "pid-pressure",
  NetworkUnavailable: "network-unavailable",
} as const;

const among = fc.constantFrom;
const weighted = <T>(...all: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const anEffect = among(...effects);
const ownTaint = fc.oneof(
  fc.record({ key: among("dns-only", infra), effect: anEffect }),
  fc.record({ key: among("team"), value: among("a", "b", ""), effect: anEffect }),
  fc.record({ key: among("sla"), value: among("0", "1", "900", "950", "high", "007"), effect: anEffect }),
) as fc.Arbitrary<Taint>;

const shape = fc.record({
  labels: fc.record(
    { [os]: among("linux", "linux", "windows"), [infra]: among("", "true"), zone: among("a", "b") },
    { requiredKeys: [os] },
  ),
  own: fc.uniqueArray(ownTaint, { maxLength: 2, selector: ({ key, effect }) => `${key}:${effect}` }),
  cordoned: weighted<boolean>([4, among(false)], [1, among(true)]),
  condition: weighted<keyof typeof conditions | undefined>(
    [3, among(undefined)],
    [2, among(...(Object.keys(conditions) as (keyof typeof conditions)[]))],
  ),
  state: weighted<string>([5, among("ready")], [2, among("not-ready", "silent")]),
});

/** Nodes with everything that keeps pods away: labels, taints, a cordon, pressure, a failing or missing kubelet. */
export function nodeObjects(count: number, seed: number): FakeNode[] {
  return fc.sample(shape, { numRuns: count, seed }).map(({ labels, own, cordoned, condition, state }, i) => {
    const name = `fake-${String(i).padStart(2, "0")}`;
    const times = { lastHeartbeatTime: now(), lastTransitionTime: now() };
    const ready = { type: "Ready", status: state === "not-ready" ? "False" : "True", ...times };
    const allocatable = { cpu: "1000", memory: "1000Gi", pods: "1000" };
    const pressed = condition === undefined ? [] : [{ ...ready, type: condition, status: "True" }];
    return {
      node: {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name, labels },
        spec: { taints: own, ...(cordoned ? { unschedulable: true } : {}) },
        status: { allocatable, capacity: allocatable, conditions: [ready, ...pressed] },
      },
      lease: state === "silent" ? undefined : () => leaseFor(name),
      taints: [
        ...own.map(({ key, effect }) => `${key}:${effect}`),
        ...(cordoned ? [`${builtin("unschedulable")}:NoSchedule`] : []),
        // A silent kubelet is no longer believed about pressure; the network is not its to report.
        ...(condition === undefined || (state === "silent" && condition !== "NetworkUnavailable")
          ? []
          : [`${builtin(conditions[condition])}:NoSchedule`]),
        ...(state === "not-ready" ? [`${builtin("not-ready")}:NoSchedule`, `${builtin("not-ready")}:NoExecute`] : []),
        ...(state === "silent" ? [`${builtin("unreachable")}:NoSchedule`, `${builtin("unreachable")}:NoExecute`] : []),
      ],
    };
  });
}

function leaseFor(name: string): KubernetesObject {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease" },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new Date().toISOString().replace("Z", "000Z") },
  };
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}

const ofNode = ["not-ready", "unreachable", "unschedulable", ...Object.values(conditions)].map(builtin);
const effect = among(undefined, ...effects);
const exists = among("Exists" as const);
const sla = among("-6", "0", "900", "1000", "9223372036854775807");

const toleration: fc.Arbitrary<Toleration> = weighted<Toleration | { operator: undefined; value: undefined }>(
  [6, fc.record({ key: among("dns-only", infra, "team", "sla", ...ofNode), operator: exists, effect })],
  [1, fc.record({ operator: exists, effect })],
  [
    3,
    fc.record({
      key: among("team", "sla", builtin("not-ready")),
      operator: among(undefined, "Equal" as const),
      value: among(undefined, "a", "b", "900"),
      effect,
    }),
  ],
  [4, fc.record({ key: among("sla"), operator: among("Gt" as const, "Lt" as const), value: sla, effect })],
).chain((one) => among(undefined, undefined, -1, 0, 600).map((seconds) => withSeconds(one, seconds)));

function withSeconds(one: Toleration, tolerationSeconds: number | undefined): Toleration {
  const timed = one.effect === "NoExecute" && tolerationSeconds !== undefined ? { ...one, tolerationSeconds } : one;
  // An undefined field counts as absent.
  return JSON.parse(JSON.stringify(timed)) as Toleration;
}

/** Placements that the API server accepts, using the labels and taints of the nodes. */
export function generatePlacements(): fc.Arbitrary<NodePlacement> {
  const some = fc.record({ zone: among("a", "b", "c"), [infra]: among("", "true") }, { requiredKeys: [] });
  const nodeSelector = weighted<object>([2, among({})], [3, among({ [os]: "linux" })], [1, some]);
  const tolerations = fc.array(toleration, { maxLength: 5 });
  return fc.record({ nodeSelector: nodeSelector as fc.Arbitrary<{ [label: string]: string }>, tolerations });
}
