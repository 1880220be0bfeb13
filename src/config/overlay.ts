import { isMapping } from "../model/syntax/mapping";

/**
 * Overlays one value on another, key by key: mappings are merged; anything else in the upper one replaces the lower
 * one.
 */
export function overlay(lower: unknown, upper: unknown): unknown {
  if (!isMapping(lower) || !isMapping(upper)) return upper;
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) merged.set(key, overlay(merged.get(key), value));
  return Object.fromEntries(merged);
}
