import { isMapping, own } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";

/** A place where two versions of an object differ; undefined in the version that has nothing there. */
export interface Difference {
  readonly path: Problem["path"];
  readonly before: unknown;
  readonly after: unknown;
}

/** Where two values differ, descending into mappings and lists of equal length. */
export function differences(before: unknown, after: unknown, path: Problem["path"] = []): Difference[] {
  if (Object.is(before, after)) return [];
  if (isMapping(before) && isMapping(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(own(before, key), own(after, key), [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((value, i) => differences(value, after[i], [...path, i]));
  return [{ path, before, after }];
}

/** The entries of a mapping that are known, and not as usual. */
export function entriesUnlike<Values extends object>(is: Values, usual: Partial<Values>): Partial<Values> {
  const all = Object.entries(is) as [keyof Values, unknown][];
  const unlike = all.filter(([key, value]) => value !== undefined && differences(value, usual[key]).length > 0);
  return Object.fromEntries(unlike) as Partial<Values>;
}
