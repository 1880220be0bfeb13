import { isMapping } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";
import { type Difference, differences } from "./differences";
import { isOfServer } from "./of-server";

/** Where a running value differs from the rendered one: not in what the API server adds, or drops because it is empty. */
export function unlikeRendered(running: unknown, rendered: unknown, path: Problem["path"] = []): Difference[] {
  return differences(byName(running), byName(rendered), path).filter(isOurs);
}

/** With mappings in the place of lists whose items have names: one more changes the places of the others. */
function byName(value: unknown): unknown {
  if (isMapping(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, byName(each)]));
  if (!Array.isArray(value)) return value;
  const items = value.map(byName);
  const named = new Map(items.map((item) => [isMapping(item) ? item["name"] : undefined, item]));
  const isNamed = items.length > 0 && named.size === items.length && !named.has(undefined);
  return isNamed ? Object.fromEntries(named) : items;
}

function isOurs({ path, before, after }: Difference): boolean {
  if (before === undefined) return !isEmpty(after);
  return after !== undefined || !(isEmpty(before) || isOfServer(path, before));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && Object.keys(value ?? {}).length === 0;
}
