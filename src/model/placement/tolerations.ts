import type { Taint } from "../kubernetes/kinds";
import type { Toleration } from "../props/placement";

/** Whether a toleration tolerates a taint (core/v1 `ToleratesTaint`). */
export function tolerates({ key, operator, value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator) {
    case "Exists":
      return true;
    case "Gt":
    case "Lt":
      return compares(operator, taint.value ?? "", value);
    default:
      return value === (taint.value ?? "");
  }
}

function compares(operator: "Gt" | "Lt", taintValue: string, value: string): boolean {
  const [left, right] = [integer(taintValue), integer(value)];
  if (left === undefined || right === undefined) return false;
  return operator === "Gt" ? left > right : left < right;
}

/** A 64-bit decimal integer in canonical form; nothing else is comparable. */
export function integer(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Whether Kubernetes itself adds a taint, to a node that is not ready or short of something, and takes it away. */
export function isOfCondition({ key }: Pick<Taint, "key">): boolean {
  return key !== unschedulableTaint.key && /^node\.(cloudprovider\.)?kubernetes\.io\//.test(key);
}

export function effectiveTolerations(
  own: readonly Toleration[],
  { kind, hostNetwork }: { readonly kind: string; readonly hostNetwork: boolean },
): Toleration[] {
  return withDefaultSeconds(kind === "DaemonSet" ? withDaemonSetTolerations(own, hostNetwork) : [...own]);
}

const daemonSetTolerations: readonly Toleration[] = [
  exists("node.kubernetes.io/not-ready", "NoExecute"),
  exists("node.kubernetes.io/unreachable", "NoExecute"),
  exists("node.kubernetes.io/disk-pressure", "NoSchedule"),
  exists("node.kubernetes.io/memory-pressure", "NoSchedule"),
  exists("node.kubernetes.io/pid-pressure", "NoSchedule"),
  exists(unschedulableTaint.key, unschedulableTaint.effect),
];

const hostNetworkTolerations: readonly Toleration[] = [exists("node.kubernetes.io/network-unavailable", "NoSchedule")];

// The DaemonSet controller (AddOrUpdateDaemonPodTolerations): an equal toleration loses its tolerationSeconds.
function withDaemonSetTolerations(own: readonly Toleration[], hostNetwork: boolean): Toleration[] {
  const added = [...daemonSetTolerations, ...(hostNetwork ? hostNetworkTolerations : [])];
  const same = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.operator === b.operator && (a.value ?? "") === "" && a.effect === b.effect;
  return [
    ...own.map((toleration) => added.find((one) => same(toleration, one)) ?? toleration),
    ...added.filter((one) => !own.some((toleration) => same(toleration, one))),
  ];
}

// The admission plugin DefaultTolerationSeconds, on by default. It ignores operators and values.
function withDefaultSeconds(tolerations: Toleration[]): Toleration[] {
  const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
    (key) => !tolerations.some((one) => (!one.key || one.key === key) && (!one.effect || one.effect === "NoExecute")),
  );
  return [
    ...tolerations,
    ...missing.map((key): Toleration => ({ ...exists(key, "NoExecute"), tolerationSeconds: 300 })),
  ];
}

function exists(key: string, effect: Taint["effect"]): Toleration {
  return { key, operator: "Exists", effect };
}
