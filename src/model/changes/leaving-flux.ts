import { inDocs } from "../docs";
import type { KubernetesObject } from "../kubernetes/object";
import { fluxIsLeft, unrendered, whyItStays } from "./pruning";

/** What leaves in the commit that leaves Flux, which prunes nothing any more. */
export function leavingFlux(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const staying = unrendered(before, after).filter((object) => whyItStays(object, before, after)?.why === fluxIsLeft);
  if (staying.length === 0) return [];
  return [
    `leaves Flux, which then prunes nothing any more: what else leaves with this commit stays in the cluster, running and in force (${staying.length} of the objects below); commit all other changes before this one, and let Flux apply them (${inDocs("gitops", "Leaving Flux")})`,
  ];
}
