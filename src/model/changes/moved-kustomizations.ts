import type { AppliedObject } from "./applied-object";

/** Flux's Kustomizations that move: their old namespace prunes them, and their end deletes what they applied. */
export function movedKustomizations(before: readonly AppliedObject[], after: readonly AppliedObject[]): string[] {
  const old = namespaceOf(before);
  const now = namespaceOf(after);
  if (old === undefined || now === undefined || old === now) return [];
  return [
    `moves Flux's Kustomizations from namespace ${old} to ${now}: Flux deletes what the old ones applied, before or after the new ones apply it; first delete Kustomization cluster-dns in ${old}, which leaves all others, then set deletionPolicy: Orphan on those and delete them`,
  ];
}

function namespaceOf(objects: readonly AppliedObject[]): string | undefined {
  const isFlux = ({ apiVersion }: AppliedObject) => apiVersion.startsWith("kustomize.toolkit.fluxcd.io/");
  return objects.find(isFlux)?.metadata.namespace;
}
