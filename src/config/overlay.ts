import { isMapping } from "../model/syntax/mapping";

/** A description, or a part of one. */
export type Part = { readonly [key: string]: unknown };

/** What a lower value has, other than a mapping, where the upper one has a mapping: `overlay` drops it. */
export function hiddenByMappings(
  lower: unknown,
  upper: unknown,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly value: unknown }[] {
  if (lower === undefined || !isMapping(upper)) return [];
  if (!isMapping(lower)) return [{ path, value: lower }];
  return Object.keys(upper).flatMap((key) =>
    Object.hasOwn(lower, key) ? hiddenByMappings(lower[key], upper[key], [...path, key]) : [],
  );
}

/** Key by key: mappings are merged; anything else in the upper one replaces the lower one. */
export function overlay(lower: Part, upper: Part): Part;
export function overlay(lower: unknown, upper: unknown): unknown;
export function overlay(lower: unknown, upper: unknown): unknown {
  if (!isMapping(lower) || !isMapping(upper)) return upper;
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) merged.set(key, overlay(merged.get(key), value));
  return Object.fromEntries(merged);
}
