import { placeable, type NodeMatch } from "../placement/placeable";
import type { Node } from "../placement/node";
import { unschedulableTaint } from "../placement/tolerations";
import type { Toleration } from "../props/placement";

/** DNS workloads whose placement must match a node. */
export interface PlacementGuard {
  readonly namespace: string;
  readonly names: readonly string[];
}

/** The fields of a Deployment or DaemonSet that decide where its pods may run (apps/v1). */
export interface GuardedWorkload {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly nodeSelector?: { readonly [label: string]: string };
        readonly tolerations?: readonly Toleration[];
        readonly hostNetwork?: boolean;
        readonly affinity?: {
          readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: unknown };
        };
      };
    };
  };
}

/**
 * Why a DNS workload is refused (no node could run its pods), or undefined. It is allowed if that cannot be known:
 * while no nodes are known, with required node affinity, or if an update leaves the placement unchanged, so that a
 * rollback always gets through. Temporary node conditions do not count: an outage must not block anybody.
 */
export function refusePlacement(
  kind: "Deployment" | "DaemonSet",
  name: string,
  workload: GuardedWorkload,
  old: GuardedWorkload | undefined,
  nodes: readonly Node[] | undefined,
): string | undefined {
  const pod = workload.spec?.template?.spec ?? {};
  if (nodes === undefined || nodes.length === 0) return undefined;
  if (pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined) return undefined;
  if (old !== undefined && placementOf(old) === placementOf(workload)) return undefined;
  const matches = placeable(nodes.map(inHealth), pod, { kind, hostNetwork: pod.hostNetwork === true });
  if (matches.some(({ reasons }) => reasons.length === 0)) return undefined;
  return [
    `${kind} ${name}: node placement parameters match 0 of ${nodes.length} nodes, DNS would run nowhere.`,
    `nodeSelector ${JSON.stringify(pod.nodeSelector ?? {})}, tolerations ${JSON.stringify(pod.tolerations ?? [])}.`,
    `${examples(matches)}`,
    "Change nodePlacement in the cluster file, or label, untaint or uncordon a node first.",
  ].join(" ");
}

/**
 * Drops the taints that the cluster itself adds to nodes that are not ready or short of something, and removes again.
 */
function inHealth(node: Node): Node {
  return { ...node, taints: node.taints.filter(({ key }) => key === unschedulableTaint.key || !isCondition(key)) };
}

function isCondition(key: string): boolean {
  return key.startsWith("node.kubernetes.io/") || key.startsWith("node.cloudprovider.kubernetes.io/");
}

function placementOf({ spec }: GuardedWorkload): string {
  const { nodeSelector = {}, tolerations = [], hostNetwork = false } = spec?.template?.spec ?? {};
  return JSON.stringify([Object.entries(nodeSelector).sort(), tolerations, hostNetwork]);
}

function examples(matches: readonly NodeMatch[]): string {
  const shown = matches.slice(0, 3).map(({ node, reasons }) => `${node}: ${reasons.join(", ")}`);
  const rest = matches.length - shown.length;
  return `${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
}
