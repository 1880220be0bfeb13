import type * as kinds from "../kubernetes/kinds";
import { own } from "../syntax/mapping";

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

/** How nodes are marked whose pods have machines of their own: Virtual Kubelet's, and those of EKS on Fargate. */
const marksOfVirtual: readonly (readonly [label: string, value: string])[] = [
  ["type", "virtual-kubelet"],
  ["eks.amazonaws.com/compute-type", "fargate"],
];

/** What shows that a node has no network that a pod could share. */
export function markOfVirtual({ labels }: Node): string | undefined {
  return marksOfVirtual.find(([label, value]) => own(labels, label) === value)?.join("=");
}

export function asPlace({ metadata: { name, labels = {} }, spec = {} }: kinds.Node): Node {
  const { taints = [], unschedulable = false } = spec;
  return { name, labels, taints, unschedulable };
}
