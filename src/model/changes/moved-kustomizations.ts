import type { KubernetesObject } from "../kubernetes/object";
import { fluxNamespace } from "./flux-by-hand";

/** Flux's Kustomizations that move: their old namespace prunes them, and their end deletes what they applied. */
export function movedKustomizations(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const [old, now] = [fluxNamespace(before), fluxNamespace(after)];
  if (old === undefined || now === undefined || old === now) return [];
  return [
    `moves Flux's Kustomizations from namespace ${old} to ${now}: Flux deletes what the old ones applied, before or after the new ones apply it, unless these are deleted before the commit, by the steps that plain diff lists`,
  ];
}
