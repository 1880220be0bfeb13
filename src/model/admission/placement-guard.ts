import { placeable, type NodeMatch } from "../placement/placeable";
import type { Node } from "../placement/node";
import { isOfCondition } from "../placement/tolerations";
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

/** Of labels and of tolerations: anybody may ask about a placement, and each is compared with each node. */
const maxParts = 64;
const shownNodes = 3;

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
  const sizes = [Object.keys(pod.nodeSelector ?? {}).length, (pod.tolerations ?? []).length];
  if (Math.max(...sizes) > maxParts)
    return `${kind} ${name}: a nodeSelector of ${sizes[0]} labels and ${sizes[1]} tolerations are too many to check; at most ${maxParts} each.`;
  const matchesOf = (some: readonly Node[]) =>
    placeable(some.map(inHealth), pod, { kind, hostNetwork: pod.hostNetwork === true });
  if (nodes.some((node) => matchesOf([node])[0]?.reasons.length === 0)) return undefined;
  return [
    `${kind} ${name}: node placement parameters match 0 of ${nodes.length} nodes, DNS would run nowhere.`,
    `nodeSelector ${JSON.stringify(pod.nodeSelector ?? {})}, tolerations ${JSON.stringify(pod.tolerations ?? [])}.`,
    examples(matchesOf(nodes.slice(0, shownNodes)), nodes.length),
    "Change nodePlacement in the cluster file, or label, untaint or uncordon a node first.",
  ].join(" ");
}

/** Without the taints that the cluster itself adds to nodes that are not ready or short of something. */
function inHealth(node: Node): Node {
  return { ...node, taints: node.taints.filter((taint) => !isOfCondition(taint)) };
}

function placementOf({ spec }: GuardedWorkload): string {
  const { nodeSelector = {}, tolerations = [], hostNetwork = false } = spec?.template?.spec ?? {};
  return JSON.stringify([Object.entries(nodeSelector).sort(), tolerations, hostNetwork]);
}

function examples(matches: readonly NodeMatch[], count: number): string {
  const shown = matches.map(({ node, reasons }) => `${node}: ${reasons.join(", ")}`);
  const rest = count - shown.length;
  return `${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
}
