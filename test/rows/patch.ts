import type { Json } from "../../src/output/yaml";

/**
 * What makes `after` of `before`, like a strategic merge patch; undefined if nothing does. Configuration in JSON counts
 * as a mapping, too.
 */
export function patch(before: Json | undefined, after: Json | undefined): Json | undefined {
  if (isSame(before, after)) return undefined;
  if (after === undefined) return null;
  const [was, is] = [unpacked(before), unpacked(after)];
  if (isMapping(was) && isMapping(is)) {
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    const changes = keys.map((key) => [key, patch(was[key], is[key])] as const);
    return Object.fromEntries(changes.filter(([, change]) => change !== undefined));
  }
  return isNamed(was) && isNamed(is) ? patchNamed(was, is) : after;
}

type Mapping = { readonly [key: string]: Json | undefined };
type Named = Mapping & { readonly name: string };

function patchNamed(before: readonly Named[], after: readonly Named[]): Json {
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap((name): Json[] => {
    const was = before.find((item) => item.name === name);
    const is = after.find((item) => item.name === name);
    if (!was) return is ? [is] : [];
    if (!is) return [{ name, $patch: "delete" }];
    return isSame(was, is) ? [] : [{ name, ...(patch(was, is) as Mapping) }];
  });
}

// A configuration is named for a hash of its contents, and pods are labelled with one: what only differs in a hash has
// not changed.
function isSame(before: Json | undefined, after: Json | undefined): boolean {
  const [one, other] = [before, after].map((value) =>
    JSON.stringify(value)?.replaceAll(/(?<=[-"])[0-9a-f]{10}\b/g, ""),
  );
  return one === other;
}

function unpacked(value: Json | undefined): Json | undefined {
  return typeof value === "string" && value.startsWith("{") ? (JSON.parse(value) as Json) : value;
}

function isMapping(value: Json | undefined): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamed(value: Json | undefined): value is readonly Named[] {
  return Array.isArray(value) && value.every((item) => isMapping(item) && typeof item.name === "string");
}
