import { isMapping } from "./mapping";
import { missingSpace } from "./missing-space";
import type { Problem } from "./problem";
import type { Schema } from "./schema";

/** What to write instead, for the commonest of such mistakes. */
export function asWritten(
  path: Problem["path"],
  data: unknown,
  type: unknown,
  { properties, required, minProperties }: Schema = {},
): string {
  const space = missingSpace(misread(path, data, type));
  if (space) return `; ${space}`;
  if (typeof data === "string" && type === "array") return `; write [${data}]`;
  if (typeof data === "string" && type === "integer") return wholeNumberIn(data, path.at(-1));
  if (type !== "object" || !properties) return "";
  if (data === false && path.length > 0)
    return properties["state"]?.enum?.includes("disabled") ? "; write {state: disabled}" : "; leave it out";
  if (data !== true) return "";
  if (required) return ` with ${required.join(", ")}`;
  return minProperties === undefined ? "; write {} for its defaults" : ` with ${Object.keys(properties).join(" or ")}`;
}

/** The text or key that YAML may have read for want of a space. */
function misread(path: Problem["path"], data: unknown, type: unknown): string {
  if (data === null) return String(path.at(-1));
  if (typeof data === "string") return type === (data.startsWith("-") ? "array" : "object") ? data : "";
  return type === "array" && isMapping(data) ? (Object.keys(data)[0] ?? "") : "";
}

const unitSeconds: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600 };

function wholeNumberIn(text: string, key: string | number | undefined): string {
  if (/^\d+$/.test(text)) return "; write it without quotes";
  const [, number, unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  return key === "ttl" && number !== undefined
    ? `; write seconds, without a unit: ${Number(number) * (unitSeconds[unit] ?? 1)}`
    : "";
}
