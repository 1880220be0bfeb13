import type { Problem } from "./problem";
import type { Schema } from "./schema";

/** What to write instead, for the commonest of such mistakes. */
export function asWritten(
  path: Problem["path"],
  data: unknown,
  type: unknown,
  { properties, required, minProperties }: Schema = {},
): string {
  if (typeof data === "string") {
    if (type === "array") return `; write [${data}]`;
    if (type === "integer") return wholeNumberIn(data, path.at(-1));
    return type === "object" && /^[\w-]+:\S/.test(data) ? "; a space is missing after the colon" : "";
  }
  if (type !== "object" || !properties) return "";
  if (data === false && path.length > 0)
    return properties["state"]?.enum?.includes("disabled") ? "; write {state: disabled}" : "; leave it out";
  if (data !== true) return "";
  if (required) return ` with ${required.join(", ")}`;
  return minProperties === undefined ? "; write {} for its defaults" : ` with ${Object.keys(properties).join(" or ")}`;
}

const unitSeconds: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600 };

function wholeNumberIn(text: string, key: string | number | undefined): string {
  if (/^\d+$/.test(text)) return "; write it without quotes";
  const [, number, unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  return key === "ttl" && number !== undefined
    ? `; write seconds, without a unit: ${Number(number) * (unitSeconds[unit] ?? 1)}`
    : "";
}
