import type { AppliedObject } from "./applied-object";

/** The controllers' own objects that applied these, by the marks that Argo CD and Flux leave on objects in a cluster. */
export function appliersOf(objects: readonly AppliedObject[]): AppliedObject[] {
  return objects.flatMap(({ metadata: { labels = {}, annotations = {} } }) => {
    const application = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0];
    const kustomization = labels["kustomize.toolkit.fluxcd.io/name"];
    const namespace = labels["kustomize.toolkit.fluxcd.io/namespace"];
    return [
      ...(application === undefined ? [] : [object("argoproj.io/v1alpha1", "Application", { name: application })]),
      ...(kustomization === undefined || namespace === undefined
        ? []
        : [object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", { name: kustomization, namespace })]),
    ];
  });
}

function object(apiVersion: string, kind: string, metadata: AppliedObject["metadata"]): AppliedObject {
  return { apiVersion, kind, metadata };
}
