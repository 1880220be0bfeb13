import type { KubernetesObject } from "../kubernetes/object";
import { groupOf } from "../kubernetes/resource";

export function isArgoCd({ apiVersion }: KubernetesObject): boolean {
  return groupOf(apiVersion) === "argoproj.io";
}

export function isKustomization({ apiVersion }: KubernetesObject): boolean {
  return groupOf(apiVersion) === "kustomize.toolkit.fluxcd.io";
}

export function isFluxSource({ apiVersion }: KubernetesObject): boolean {
  return groupOf(apiVersion) === "source.toolkit.fluxcd.io";
}
