import { isMapping } from "../model/syntax/mapping";

/** Keeps in memory once what objects have in common, such as the containers of a workload's pods. */
export function sharing(): <T extends object>(object: T) => T {
  let known = new Map<string, unknown>();
  const once = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    const same = known.get(text);
    if (same !== undefined) return same;
    const copy = each(value, once);
    // The API server sorts by name: what is alike comes together.
    if (known.size > most) known = new Map();
    known.set(text, copy);
    return copy;
  };
  // No two have the same metadata, spec or status as a whole.
  return (object) => each(object, (part) => (isMapping(part) ? each(part, once) : once(part)));
}

/** Most of what is known is of one object alone. */
const most = 5000;

function each<T extends object>(value: T, change: (part: unknown) => unknown): T {
  const changed = Array.isArray(value)
    ? value.map(change)
    : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]));
  return changed as T;
}
