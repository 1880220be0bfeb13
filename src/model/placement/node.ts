import type * as kinds from "../kubernetes/kinds";

/** The parts of a node (core/v1 Node) that decide which pods may run on it. */
export interface Node {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly taints: readonly kinds.Taint[];
  /** `spec.unschedulable`: cordoned. */
  readonly unschedulable: boolean;
}

/** `dns-only:NoSchedule` and `sla=950:NoExecute`, as `kubectl describe node` shows taints. */
export function formatTaint({ key, value, effect }: kinds.Taint): string {
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}

/** A node, as far as it decides what runs on it. */
export function asPlace({ metadata: { name, labels = {} }, spec = {} }: kinds.Node): Node {
  const { taints = [], unschedulable = false } = spec;
  return { name, labels, taints, unschedulable };
}
