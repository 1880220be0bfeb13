import type { Node, Pod } from "../kubernetes/kinds";
import { asPlace } from "../placement/node";
import { type NodeMatch, placeable, type PlacedWorkload } from "../placement/placeable";
import type { NodePlacement } from "../props/placement";

/** Of each node why a pod may not run there; none that it may. */
export function nodesFor(nodes: readonly Node[], placement: NodePlacement, workload: PlacedWorkload): NodeMatch[] {
  return placeable(nodes.map(asPlace), placement, workload);
}

/** The same of a pod that exists. */
export function nodesForPod(nodes: readonly Node[], { spec }: Pod, kind: string): NodeMatch[] {
  return nodesFor(nodes, spec, { kind, hostNetwork: spec.hostNetwork ?? false });
}

/** Whether a node's kubelet reports to the API server that it is well. */
export function isUp({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? true;
}
