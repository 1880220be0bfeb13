import { isMapping } from "./mapping";
import { missingSpace } from "./missing-space";
import type { Problem } from "./problem";
import type { Schema } from "./schema";

/** What to write instead: in words, and as a value if it is clear what was meant. */
interface Instead {
  readonly words: string;
  readonly value?: unknown;
}

const nothing: Instead = { words: "" };

export function asWritten(path: Problem["path"], data: unknown, types: readonly Schema[], whole: Schema): Instead {
  const typed = (name: string) => types.find(({ type }) => type === name);
  const space = missingSpace(misread(path, data, typed));
  if (space) return { words: `; ${space}` };
  if (typeof data === "string" && /^[[{]/.test(data) && (typed("array") || typed("object"))) return withoutQuotes;
  if (typeof data === "string" && data !== "" && typed("array")) return asList(data);
  if (typeof data === "string" && typed("integer")) return wholeNumberIn(data, path.at(-1));
  if ((data === "true" || data === "false") && typed("boolean")) return { ...withoutQuotes, value: data === "true" };
  if (/^(yes|on|no|off)$/i.test(String(data)) && typed("boolean"))
    return { words: `; write ${/^(yes|on)$/i.test(String(data))}` };
  if (data === true && whole.default !== undefined && types.some((type) => type.const === false))
    return { words: `; leave it out for ${String(whole.default)}` };
  // The author of a file quotes it; of 1.30, its value is 1.3.
  if (typeof data === "number" && typed("string"))
    return { words: "", value: Number.isInteger(data) ? String(data) : data.toFixed(2) };
  if (typed("string") && isMapping(data)) return textWithColon(data);
  const { properties, required, minProperties } = typed("object") ?? {};
  if (!properties || path.length === 0) return nothing;
  const [key] = Object.entries(properties).find(([, each]) => each.enum?.includes(data)) ?? [];
  if (key !== undefined) return { words: `; write {${key}: ${String(data)}}`, value: { [key]: data } };
  const [only, ...others] = required ?? [];
  if (Array.isArray(data) && only !== undefined && others.length === 0 && properties[only]?.type === "array")
    return { words: `; write {${only}: [${data.join(", ")}]}`, value: { [only]: data } };
  if (data === false) return asSwitchedOff(properties);
  return data === true && !required && minProperties === undefined
    ? { words: "; write {} for its defaults", value: {} }
    : nothing;
}

/** A space parts what has dots or colons: addresses, names of DNS. */
function asList(text: string): Instead {
  const value = text.split(/, *| +(?=\S*[.:])/);
  return { words: `; write [${value.join(", ")}]`, value };
}

function asSwitchedOff({ state, kind }: NonNullable<Schema["properties"]>): Instead {
  if (state?.enum?.includes("disabled")) return { words: "; write {state: disabled}", value: { state: "disabled" } };
  return kind?.enum?.includes("Existing")
    ? { words: "; to keep the cluster's own, write {kind: Existing}", value: { kind: "Existing" } }
    : { words: "; leave it out" };
}

/** `2001:db8::` is a key to YAML. */
function textWithColon(data: object): Instead {
  const [[key, value] = ["", ""], ...others] = Object.entries(data) as [string, unknown][];
  return value === null && others.length === 0 ? { words: `; put it in quotes: "${key}:"`, value: `${key}:` } : nothing;
}

const withoutQuotes: Instead = { words: "; write it without quotes" };

/** The text or key that YAML may have read for want of a space. */
function misread(path: Problem["path"], data: unknown, typed: (name: string) => Schema | undefined): string {
  if (data === null) return String(path.at(-1));
  if (typeof data === "string") return typed(data.startsWith("-") ? "array" : "object") ? data : "";
  return typed("array") && isMapping(data) ? (Object.keys(data)[0] ?? "") : "";
}

const unitSeconds: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600 };

function wholeNumberIn(text: string, key: string | number | undefined): Instead {
  if (/^\d+$/.test(text)) return { ...withoutQuotes, value: Number(text) };
  const [, number, unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (key !== "ttl" || number === undefined) return nothing;
  const value = Number(number) * (unitSeconds[unit] ?? 1);
  return { words: `; write seconds, without a unit: ${value}`, value };
}
