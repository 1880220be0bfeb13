import { isMapping } from "./mapping";
import { missingSpace } from "./missing-space";
import type { Problem } from "./problem";
import type { Schema } from "./schema";

/** What to write instead, for the commonest of such mistakes. */
export function asWritten(path: Problem["path"], data: unknown, types: readonly Schema[], whole: Schema): string {
  const typed = (name: string) => types.find(({ type }) => type === name);
  const space = missingSpace(misread(path, data, typed));
  if (space) return `; ${space}`;
  if (typeof data === "string" && data !== "" && typed("array")) return `; write [${data}]`;
  if (typeof data === "string" && typed("integer")) return wholeNumberIn(data, path.at(-1));
  if (data === true && whole.default !== undefined && types.some((type) => type.const === false))
    return `; leave it out for ${String(whole.default)}`;
  const { properties, required, minProperties } = typed("object") ?? {};
  if (!properties || path.length === 0) return "";
  const [key] = Object.entries(properties).find(([, each]) => each.enum?.includes(data)) ?? [];
  if (key !== undefined) return `; write {${key}: ${String(data)}}`;
  if (data === false)
    return properties["state"]?.enum?.includes("disabled") ? "; write {state: disabled}" : "; leave it out";
  return data === true && !required && minProperties === undefined ? "; write {} for its defaults" : "";
}

/** The text or key that YAML may have read for want of a space. */
function misread(path: Problem["path"], data: unknown, typed: (name: string) => Schema | undefined): string {
  if (data === null) return String(path.at(-1));
  if (typeof data === "string") return typed(data.startsWith("-") ? "array" : "object") ? data : "";
  return typed("array") && isMapping(data) ? (Object.keys(data)[0] ?? "") : "";
}

const unitSeconds: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600 };

function wholeNumberIn(text: string, key: string | number | undefined): string {
  if (/^\d+$/.test(text)) return "; write it without quotes";
  const [, number, unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  return key === "ttl" && number !== undefined
    ? `; write seconds, without a unit: ${Number(number) * (unitSeconds[unit] ?? 1)}`
    : "";
}
