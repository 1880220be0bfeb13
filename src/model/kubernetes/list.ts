import { isMapping } from "../syntax/mapping";
import { type Fields, isKubernetesObject, type KubernetesObject } from "./object";

/** The objects of a list, or a single object; anything else is left out. */
export function objectsOf(value: unknown): KubernetesObject[] {
  return itemsOf(value)
    .map((item) => ({ apiVersion: "", ...item }))
    .filter((item) => isKubernetesObject(item));
}

/** The items of a list, or the only one. In a NodeList as the API server returns it, items have no kind. */
export function itemsOf(value: unknown): Fields[] {
  if (!isMapping(value)) return [];
  const { kind, items } = value;
  if (!Array.isArray(items)) return [value];
  return items.filter(isMapping).map((item) => (kind === "NodeList" ? { ...item, kind: "Node" } : item));
}
