import type { Problem } from "../syntax/problem";
import { suggest } from "../syntax/suggest";
import validate = require("./validate");

/** What is wrong with the shape of a cluster description: unknown keys, wrong types, words that are not accepted. */
export function schemaProblems(value: unknown): Problem[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => toProblem(error, value));
}

function toProblem(error: validate.SchemaError, root: unknown): Problem {
  const path = pointerSteps(error.instancePath, root);
  const { keyword, params, data } = error;
  const problem = (message: string): Problem => ({ path, at: "value", message });
  switch (keyword) {
    case "additionalProperties": {
      const key = String(params.additionalProperty);
      const accepted = Object.keys(error.parentSchema?.properties ?? {});
      return {
        path: [...path, key],
        at: "key",
        message: `unknown key${suggest(key, accepted)}; accepted here: ${accepted.join(", ")}`,
      };
    }
    case "required":
      return { path: [...path, String(params.missingProperty)], at: "value", message: "is required and missing" };
    case "enum":
      return problem(notOneOf(data, params.allowedValues ?? []));
    case "type":
      return problem(
        `${data === null ? "" : `${show(data)} `}is ${typeName(data)}; accepted: ${[params.type ?? []].flat().map(typeInWords).join(" or ")}`,
      );
    case "minItems":
      return problem(`has ${count(data)}; at least ${params.limit} needed`);
    case "maxItems":
      return problem(`has ${count(data)}; at most ${params.limit} accepted`);
    case "minimum":
      return problem(`${show(data)} is too small; at least ${params.limit}`);
    case "maximum":
      return problem(`${show(data)} is too large; at most ${params.limit}`);
    default:
      return problem(`${show(data)} ${error.message ?? "is not accepted"}`);
  }
}

function notOneOf(data: unknown, accepted: readonly unknown[]): string {
  const words = accepted.map(String);
  return `${show(data)} is not one of ${words.join(", ")}${typeof data === "string" ? suggest(data, words) : ""}`;
}

/** A value as a message shows it: on one line, and not too long. */
export function show(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function count(data: unknown): string {
  const n = Array.isArray(data) ? data.length : 0;
  return n === 1 ? "1 entry" : `${n} entries`;
}

function typeName(data: unknown): string {
  if (data === null) return "empty";
  return typeInWords(Array.isArray(data) ? "array" : typeof data);
}

function typeInWords(type: string): string {
  return article({ array: "list", object: "mapping", integer: "whole number" }[type] ?? type);
}

/** `a loopback`, `an unspecified`: a word with its article. */
export function article(word: string): string {
  return `${/^[aeio]|^un[^i]/.test(word) ? "an" : "a"} ${word}`;
}

// A JSON pointer does not tell index 0 from a key "0"; the value it points into does.
function pointerSteps(pointer: string, root: unknown): (string | number)[] {
  let here = root;
  return pointer
    .split("/")
    .slice(1)
    .map((step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      const isIndex = Array.isArray(here);
      here = (here as { [key: string]: unknown } | undefined)?.[key];
      return isIndex ? Number(key) : key;
    });
}
