import type { KubernetesObject } from "../kubernetes/object";
import { controllerIn } from "./in-force-in";

/**
 * The controllers' own objects that applied these, by the marks that Argo CD and Flux leave on objects in a cluster.
 * Marks outlive their controller: of several, those of the one that comes after count; without one, none does.
 * @param after The controller's own objects that are applied next.
 */
export function appliersOf(
  objects: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): KubernetesObject[] {
  const next = controllerIn(after);
  if (next === undefined) return [];
  const all = objects.flatMap(marks);
  const same = all.filter((each) => controllerIn([each])?.name === next.name);
  const unmoved = same.filter(({ metadata }) => next.name === "Flux" && metadata.namespace === next.namespace);
  return [unmoved, same].find(({ length }) => length > 0) ?? all;
}

function marks({ metadata: { labels = {}, annotations = {} } }: KubernetesObject): KubernetesObject[] {
  const application = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0];
  const kustomization = labels["kustomize.toolkit.fluxcd.io/name"];
  const namespace = labels["kustomize.toolkit.fluxcd.io/namespace"];
  return [
    ...(application === undefined ? [] : [object("argoproj.io/v1alpha1", "Application", { name: application })]),
    ...(kustomization === undefined || namespace === undefined
      ? []
      : [object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", { name: kustomization, namespace })]),
  ];
}

function object(apiVersion: string, kind: string, metadata: KubernetesObject["metadata"]): KubernetesObject {
  return { apiVersion, kind, metadata };
}
