import type { KubernetesObject } from "../kubernetes/object";

export function isArgoCd(object: KubernetesObject): boolean {
  return groupOf(object) === "argoproj.io";
}

export function isKustomization(object: KubernetesObject): boolean {
  return groupOf(object) === "kustomize.toolkit.fluxcd.io";
}

export function isFluxSource(object: KubernetesObject): boolean {
  return groupOf(object) === "source.toolkit.fluxcd.io";
}

/** `diff --live` reads what kubectl prints, which may lack anything. */
export function groupOf({ apiVersion }: Partial<KubernetesObject>): string {
  return apiVersion?.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
