import { isMapping } from "../syntax/mapping";
import { type Problem, formatPath } from "../syntax/problem";
import { type Difference, differences } from "./differences";
import { isOfServer } from "./of-server";
import { parseQuantity } from "../syntax/quantity";
import { show } from "../syntax/show";

/** Where a running value differs from the rendered one: not in what the API server adds, or drops because it is empty. */
export function unlikeRendered(running: unknown, rendered: unknown, path: Problem["path"] = []): Difference[] {
  return differences(byName(running), byName(rendered), path).filter(isOurs);
}

/** With mappings in the place of lists whose items have names or keys: one more changes the places of the others. */
function byName(value: unknown): unknown {
  if (isMapping(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, byName(each)]));
  if (!Array.isArray(value)) return value;
  const items = value.map(byName);
  const named = new Map(items.map((item) => [nameOf(item), item]));
  const isNamed = items.length > 0 && named.size === items.length && !named.has(undefined);
  return isNamed ? Object.fromEntries(named) : items;
}

/** Of a container, a spread constraint, a requirement of a selector ... */
export function nameOf(item: unknown): unknown {
  const key = nameKeyOf(item);
  return isMapping(item) && key !== undefined ? item[key] : undefined;
}

/** Under which key an item has its name. */
export function nameKeyOf(item: unknown): string | undefined {
  return isMapping(item) ? ["name", "topologyKey", "key"].find((key) => item[key] !== undefined) : undefined;
}

function isOurs({ path, before, after }: Difference): boolean {
  if (before === undefined) return !isEmpty(after);
  if (after === undefined) return !(isEmpty(before) || isOfServer(path, before));
  return !(path.includes("resources") && nanosOf(before) !== undefined && nanosOf(before) === nanosOf(after));
}

function nanosOf(quantity: unknown): bigint | undefined {
  return parseQuantity(String(quantity))?.nanos;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && Object.keys(value ?? {}).length === 0;
}

/** `spec.dnsPolicy is "ClusterFirst", the cluster file renders "Default"` */
export function toldDifference({ path, before, after }: Difference, who = "the cluster file renders"): string {
  const is = before === undefined ? "not set" : show(before);
  return `${formatPath(path)} is ${is}, ${who} ${after === undefined ? "nothing there" : show(after)}`;
}
