import { asWritten } from "./as-written";
import type { Problem } from "./problem";
import type { Schema } from "./schema";
import { article, show } from "./show";
import { suggest } from "./suggest";
import { meantBy, whatInstead } from "./unknown-key";

/** A check that scripts/generate.mjs made from an interface; `errors` are those of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: ShapeError[] | null;
  readonly places: readonly Place[];
}

/** Where a value may be of a type that has a name among the interfaces. */
export interface Place {
  readonly type: string;
  /** What `typeof` says of such a value. */
  readonly is: string;
  /** The keys that lead there; `*` is any key or index. */
  readonly path: readonly string[];
  readonly formatMinimum?: string;
  readonly formatMaximum?: string;
}

/** An error as ajv reports it (`verbose`). */
interface ShapeError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: {
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly allowedValue?: unknown;
    readonly allowedValues?: readonly unknown[];
    readonly type?: string | readonly string[];
    readonly limit?: number;
  };
  readonly message?: string;
  readonly data?: unknown;
  readonly parentSchema?: Schema;
  /** Of `anyOf`: what it chooses from. */
  readonly schema?: readonly object[];
}

export interface ShapeProblem extends Problem {
  /** The key beside an unknown one that it was probably meant to be. */
  readonly meant?: string;
}

/** What is wrong with the shape of a value: unknown keys, wrong types, words that are not accepted. */
export function shapeProblems(validate: Validator, value: unknown): ShapeProblem[] {
  if (validate(value)) return [];
  const errors = withoutMisspelt(withoutTypesOfWords(withoutOtherShapes(validate.errors ?? [])));
  return errors.map((error) => toProblem(error, value));
}

/** Of a misspelt key it is enough to say that, not that the right one is missing. */
function withoutMisspelt(errors: readonly ShapeError[]): ShapeError[] {
  const meant = new Set(
    errors.flatMap(({ instancePath, params: { additionalProperty }, parentSchema = {} }) =>
      additionalProperty === undefined ? [] : [`${instancePath}/${meantBy(additionalProperty, parentSchema)}`],
    ),
  );
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== "required" || !meant.has(`${instancePath}/${params.missingProperty}`),
  );
}

/** Whatever is none of some words has that one fault, whether or not its type is theirs. */
function withoutTypesOfWords(errors: readonly ShapeError[]): ShapeError[] {
  const choices = new Set(errors.flatMap((error) => (error.keyword === "enum" ? [error.instancePath] : [])));
  return errors.filter(({ keyword, instancePath }) => keyword !== "type" || !choices.has(instancePath));
}

/** Where a value may be of several types, what each of them says of it: kept are those of the type that it has, or one of them all. */
function withoutOtherShapes(errors: readonly ShapeError[]): ShapeError[] {
  const choices = new Map(errors.flatMap((error) => (error.keyword === "anyOf" ? [[error.instancePath, error]] : [])));
  return errors.flatMap((error) => {
    const choice = choices.get(error.instancePath);
    if (!choice) return [error];
    if (error.keyword === "type") return [];
    if (error.keyword !== "anyOf") return [error];
    const types = errors.filter(
      ({ keyword, instancePath }) => keyword === "type" && instancePath === error.instancePath,
    );
    if (types.length < (error.schema?.length ?? 0)) return [];
    return [{ ...error, keyword: "type", params: { type: types.flatMap(({ params }) => params.type ?? []) } }];
  });
}

function toProblem(error: ShapeError, root: unknown): ShapeProblem {
  const path = pointerSteps(error.instancePath, root);
  const { keyword, params, data } = error;
  const problem = (message: string): Problem => ({ path, at: "value", message });
  switch (keyword) {
    case "additionalProperties": {
      const key = String(params.additionalProperty);
      const schema = error.parentSchema ?? {};
      const meant = meantBy(key, schema);
      return { path: [...path, key], at: "key", message: `unknown key${whatInstead(key, schema)}`, meant };
    }
    case "required": {
      const key = String(params.missingProperty);
      return { path: [...path, key], at: "value", message: missing(key, error.parentSchema ?? {}) };
    }
    case "const":
      return problem(notOneOf(data, [params.allowedValue]));
    case "enum":
      return problem(notOneOf(data, params.allowedValues ?? []));
    case "type":
      return problem(
        `${data === null ? "" : `${show(data)} `}is ${typeName(data)}; accepted: ${[params.type ?? []].flat().map(acceptedInWords).join(" or ")}${range(error.parentSchema)}${asWritten(path, data, params.type, error.parentSchema)}`,
      );
    case "minProperties":
      return problem(
        `is empty; accepted: ${Object.keys(error.parentSchema?.properties ?? {}).join(" or ")}, or leave it out`,
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

/** Says what a key is that must be there; of descriptions, the check has only these. */
function missing(key: string, { properties = {} }: Schema): string {
  const description = properties[key]?.description;
  return `is required but missing${description === undefined ? "" : `; accepted: ${description}`}`;
}

function range({ minimum, maximum }: Schema = {}): string {
  if (minimum === undefined) return maximum === undefined ? "" : `, at most ${maximum}`;
  return maximum === undefined ? `, at least ${minimum}` : `, ${minimum} to ${maximum}`;
}

function notOneOf(data: unknown, accepted: readonly unknown[]): string {
  const words = accepted.map(String);
  if (data === null) return `is empty; accepted: ${words.join(", ")}`;
  return `${show(data)} is not one of ${words.join(", ")}${typeof data === "string" ? suggest(data, words) : ""}`;
}

function count(data: unknown): string {
  const n = Array.isArray(data) ? data.length : 0;
  return n === 1 ? "1 entry" : `${n} entries`;
}

function typeName(data: unknown): string {
  if (data === null) return "empty";
  if (data === undefined) return "no value";
  return typeInWords(Array.isArray(data) ? "array" : typeof data);
}

function acceptedInWords(type: string): string {
  return type === "boolean" ? "true or false" : typeInWords(type);
}

function typeInWords(type: string): string {
  return article({ array: "list", object: "mapping", integer: "whole number" }[type] ?? type);
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
