import { isMapping } from "../model/syntax/mapping";

/** An object as the API server prints it; nothing of it is certain. */
export interface PrintedObject {
  readonly kind?: unknown;
  readonly metadata?: unknown;
  readonly spec?: unknown;
  readonly data?: unknown;
}

/** The objects of a list, or a single object. In a NodeList as the API server returns it, items have no kind. */
export function objectsOf(value: unknown): PrintedObject[] {
  if (!isMapping(value)) return [];
  const { kind, items } = value;
  if (!Array.isArray(items)) return [value];
  return items.filter(isMapping).map((item) => (kind === "NodeList" ? { ...item, kind: "Node" } : item));
}
