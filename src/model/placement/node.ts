/** The parts of a node (core/v1 Node) that decide which pods may run on it. */
export interface Node {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly taints: readonly Taint[];
  /** `spec.unschedulable`: cordoned. */
  readonly unschedulable: boolean;
}

/** A node's taint (core/v1 Taint). */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** `dns-only:NoSchedule` and `sla=950:NoExecute`, as `kubectl describe node` shows taints. */
export function formatTaint({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}
