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

const ownTaint = fc.oneof(
  fc.record({ key: fc.constantFrom("dns-only", infra), effect: fc.constantFrom(...effects) }),
  fc.record({ key: fc.constant("team"), value: fc.constantFrom("a", "b", ""), effect: fc.constantFrom(...effects) }),
  fc.record({
    key: fc.constant("sla"),
    value: fc.constantFrom("0", "1", "900", "950", "high", "007"),
    effect: fc.constantFrom(...effects),
  }),
) as fc.Arbitrary<Taint>;

const shape = fc.record({
  labels: fc.record(
    {
      [os]: fc.constantFrom("linux", "linux", "windows"),
      [infra]: fc.constantFrom("", "true"),
      zone: fc.constantFrom("a", "b"),
    },
    { requiredKeys: [os] },
  ),
  own: fc.uniqueArray(ownTaint, { maxLength: 2, selector: ({ key, effect }) => `${key}:${effect}` }),
  cordoned: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  condition: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(conditions) as (keyof typeof conditions)[])) },
  ),
  state: fc.oneof(
    { weight: 5, arbitrary: fc.constant("ready") },
    { weight: 2, arbitrary: fc.constantFrom("not-ready", "silent") },
  ),
});

/** Nodes with everything that keeps pods away: labels, taints, a cordon, pressure, a failing or missing kubelet. */
export function nodeObjects(count: number, seed: number): FakeNode[] {
  return fc.sample(shape, { numRuns: count, seed }).map(({ labels, own, cordoned, condition, state }, i) => {
    const name = `fake-${String(i).padStart(2, "0")}`;
    const ready = {
      type: "Ready",
      status: state === "not-ready" ? "False" : "True",
      lastHeartbeatTime: now(),
      lastTransitionTime: now(),
    };
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

const keys = [
  "dns-only",
  infra,
  "team",
  "sla",
  ...["not-ready", "unreachable", "unschedulable", ...Object.values(conditions)].map(builtin),
];
const effect = fc.constantFrom(undefined, ...effects);

const toleration: fc.Arbitrary<Toleration> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.record({ key: fc.constantFrom(...keys), operator: fc.constant("Exists" as const), effect }),
    },
    { weight: 1, arbitrary: fc.record({ operator: fc.constant("Exists" as const), effect }) },
    {
      weight: 3,
      arbitrary: fc.record({
        key: fc.constantFrom("team", "sla", builtin("not-ready")),
        operator: fc.constantFrom(undefined, "Equal" as const),
        value: fc.constantFrom(undefined, "a", "b", "900"),
        effect,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        key: fc.constant("sla"),
        operator: fc.constantFrom("Gt" as const, "Lt" as const),
        value: fc.constantFrom("-6", "0", "900", "1000", "9223372036854775807"),
        effect,
      }),
    },
  )
  .chain((one) => fc.constantFrom(undefined, undefined, -1, 0, 600).map((seconds) => withSeconds(one, seconds)));

function withSeconds(one: Toleration, tolerationSeconds: number | undefined): Toleration {
  const timed = one.effect === "NoExecute" && tolerationSeconds !== undefined ? { ...one, tolerationSeconds } : one;
  // An undefined field counts as absent.
  return JSON.parse(JSON.stringify(timed)) as Toleration;
}

/** Placements that the API server accepts, using the labels and taints of the nodes. */
export function generatePlacements(): fc.Arbitrary<NodePlacement> {
  const nodeSelector = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: fc.constant({ [os]: "linux" }) },
    {
      weight: 1,
      arbitrary: fc.record(
        { zone: fc.constantFrom("a", "b", "c"), [infra]: fc.constantFrom("", "true") },
        { requiredKeys: [] },
      ),
    },
  ) as fc.Arbitrary<{ [label: string]: string }>;
  return fc.record({ nodeSelector, tolerations: fc.array(toleration, { maxLength: 5 }) });
}
