import { defaults, withDefaults } from "../defaults";
import type { NodePlacement, Toleration } from "../props/placement";

/** Which nodes pods may run on, with every default. */
export type Placement = Required<NodePlacement>;

/** What serves a node runs on every node, whatever its taints, where nothing else is said. */
export const everyTaint: readonly Toleration[] = [{ operator: "Exists" }];

/** @param tolerations Of the component, where the user says nothing. */
export function placementOf(options: NodePlacement | undefined, tolerations: readonly Toleration[]): Placement {
  return withDefaults(options, { ...defaults.nodePlacement, tolerations });
}
