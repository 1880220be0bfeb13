import { isWorkload, withoutHash } from "./changes";
import { type AppliedObject, identity } from "./applied-object";
import { isKustomization } from "./flux-by-hand";

/** What leaves in the commit that leaves Flux, which prunes nothing any more. */
export function leavingFlux(before: readonly AppliedObject[], after: readonly AppliedObject[]): string[] {
  if (after.length === 0 || !before.some(isKustomization) || after.some(isKustomization)) return [];
  const rendered = new Set(after.map(withoutHash));
  const staying = before.filter((object) => isWorkload(object) && !rendered.has(withoutHash(object))).map(identity);
  if (staying.length === 0) return [];
  return [
    `leaves Flux, which then prunes nothing any more: ${staying.join(", ")} and what belongs to it stay in the cluster, and run; take them out in a commit of their own, before this one (docs/gitops.md, Leaving Flux)`,
  ];
}
