import type { Placement } from "../full-props/placement";
import { type ComponentObjects, isWorkload } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import type { PlacedWorkload } from "../placement/placeable";

export interface Workload extends Placement, PlacedWorkload {
  /** `authoritative-dns`, `node-local-dns` ... */
  readonly component: string;
  readonly name: string;
}

/** Everything that starts pods, taken from the rendered objects, so that the check sees what will be deployed. */
export function workloads(components: readonly ComponentObjects[]): Workload[] {
  return components.flatMap(({ name: component, objects }) =>
    objects.filter(isWorkload).map((object) => {
      const { hostNetwork = false, nodeSelector = {}, tolerations = [] } = podTemplate(object).spec;
      return { component, kind: object.kind, name: object.metadata.name, hostNetwork, nodeSelector, tolerations };
    }),
  );
}
