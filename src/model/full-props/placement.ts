import { defaults } from "../defaults";
import type { NodePlacement, Toleration } from "../props/placement";
import { withoutEmpty } from "../syntax/mapping";

export type Placement = Required<NodePlacement>;

/** What serves a node runs on every node by default, whatever its taints. */
export const everyTaint: readonly Toleration[] = [{ operator: "Exists" }];

/** @param tolerations The component's default. */
export function placementOf(options: NodePlacement | undefined, tolerations: readonly Toleration[]): Placement {
  const { nodeSelector = {}, tolerations: said } = options ?? {};
  return {
    // As in OpenShift: pods for Linux have no use for a selector that selects every node.
    nodeSelector: Object.keys(nodeSelector).length > 0 ? nodeSelector : defaults.nodePlacement.nodeSelector,
    tolerations: said?.map((each) => withoutEmpty(each)) ?? tolerations,
  };
}

/** Whether a placement may exclude a Linux node. */
export function leavesOutNodes({ nodeSelector, tolerations }: Placement): boolean {
  const narrow = Object.entries(nodeSelector).some(([key, value]) => key !== "kubernetes.io/os" || value !== "linux");
  const tolerant = tolerations.some((t) => t.operator === "Exists" && !t.key && !t.effect);
  return narrow || !tolerant;
}
