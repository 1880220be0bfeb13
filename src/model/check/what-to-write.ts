import { isMapping } from "../syntax/mapping";
import { isBelow, type Problem } from "../syntax/problem";
import type { Schema } from "../syntax/schema";
import { shapeProblems } from "../syntax/shape";
import { usualWord } from "./usual-words";
import validate = require("./validate");
import { valueRules } from "./values";

/** What to write in place of an unknown key, or of a wrong value. @param types Of which the value is none. */
export function whatToWrite(path: Problem["path"], value?: unknown, types: readonly Schema[] = []): string | undefined {
  const word = usualWord(path, value);
  if (word !== undefined || value === undefined || typeof value === "boolean") return word;
  const fitting = types.flatMap((type) => holdersOf(value, type)).filter((holder) => fits(path, holder));
  // What a number is, only its key says.
  const clear = typeof value === "number" ? fitting : fitting.slice(0, 1);
  return clear.length === 0 ? undefined : `write ${clear.map(inFlow).join(" or ")}`;
}

/** Lists and mappings of one entry that hold a value. */
function holdersOf(value: unknown, { type, properties = {}, required = Object.keys(properties) }: Schema): unknown[] {
  if (isMapping(value)) return type === "array" ? [[value]] : [];
  // Other texts may be the name of anything.
  const isClear = typeof value !== "string" || required.length === 1 || /^\d|\./.test(value);
  return isClear && type === "object" ? required.flatMap((key) => [{ [key]: value }, { [key]: [value] }]) : [];
}

function fits(path: Problem["path"], value: unknown): boolean {
  const place = path.map((step) => (typeof step === "number" ? 0 : step));
  const alone = holding(place, value);
  return ![...shapeProblems(validate, alone), ...valueRules(alone)].some((each) => isBelow(each.path, place));
}

/** A description that has only a value. */
export function holding(path: Problem["path"], value: unknown): object {
  return path.reduceRight<unknown>(
    (held, key) => (typeof key === "number" ? Array(key + 1).fill(held) : { [key]: held }),
    value,
  ) as object;
}

/** A value as YAML on one line. */
function inFlow(value: unknown): string {
  const parts = /"([a-z][\w./-]*)"|"(?:[^"\\]|\\.)*"|[:,]/gi;
  return JSON.stringify(value).replace(parts, (part, word?: string) => word ?? part.replace(/^[:,]$/, "$& "));
}
