import { asWritten } from "./as-written";
import { meantBy, whatInstead } from "./unknown-key";
import { grouped } from "./grouped";
import type { Problem } from "./problem";
import type { Schema } from "./schema";
import { article, show } from "./show";
import { some } from "./some";
import { closest, suggest } from "./suggest";

/** A check that scripts/generate.mjs made from an interface; `errors` are those of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: ShapeError[] | null;
  readonly places: readonly Place[];
  /** The schema that it checks. */
  readonly whole: Schema;
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
  /** Whether it may be `false` instead. */
  readonly orFalse?: boolean;
}

/** An error as ajv reports it (`verbose`). */
interface ShapeError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: {
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
  };
  readonly message?: string;
  readonly data?: unknown;
  readonly parentSchema?: Schema;
  /** Of `anyOf`: what it chooses from. */
  readonly schema?: readonly object[];
}

export interface ShapeProblem extends Problem {
  /** The key that an unknown one was probably meant to be, unless that is there as well. */
  readonly meant?: string;
  /** The value that was probably meant by a wrong one. */
  readonly instead?: unknown;
  /** Whether only the number of a list's entries is wrong. */
  readonly isCount?: boolean;
}

type Show = (value: unknown) => string;

/** What to write in place of an unknown key, or of a wrong value of a key, if that is known. */
type Known = (path: Problem["path"], value?: unknown, types?: readonly Schema[]) => string | undefined;

/**
 * What is wrong with the shape of a value: unknown keys, wrong types, words that are not accepted.
 * @param shown How messages show values.
 */
export function shapeProblems(
  validate: Validator,
  value: unknown,
  shown: Show = show,
  known: Known = () => undefined,
): ShapeProblem[] {
  if (validate(value)) return [];
  const ofEach = grouped(withoutMisspelt(validate.errors ?? []), ({ instancePath }) => instancePath);
  return ofEach.flatMap(([pointer, errors]) => {
    const path = pointerSteps(pointer, value);
    const choice = errors.find(({ keyword }) => keyword === "anyOf");
    const refusals = errors.filter(({ keyword }) => refusing.includes(keyword));
    const types = new Set(refusals.map(({ parentSchema = {} }) => parentSchema));
    // A value that one of its types accepts may still be wrong in what that type asks of it.
    if (types.size < (choice?.schema?.length ?? 1))
      return acceptedOnce(
        errors.flatMap((error) =>
          error === choice || refusals.includes(error) ? [] : [toProblem(error, path, { shown, known, validate })],
        ),
      );
    const limits = validate.places.find((place) => place.formatMaximum !== undefined && leadsTo(place.path, path));
    const key = { ...limits, ...choice?.parentSchema };
    const { message, instead } = refusal(path, errors[0].data, [...types], key, shown);
    const word = instead === undefined ? known(path, errors[0].data ?? undefined, [...types]) : undefined;
    return [{ path, at: "value", message: word === undefined ? message : `${message}; ${word}`, instead }];
  });
}

/** Of several unknown keys of a mapping, the first says which are accepted. */
function acceptedOnce(problems: readonly ShapeProblem[]): ShapeProblem[] {
  const said = new Set<string>();
  return problems.map((problem) => {
    const isSaid = said.has(problem.message);
    said.add(problem.message);
    return problem.at === "key" && isSaid ? { ...problem, message: "unknown key" } : problem;
  });
}

/** What says that a value is none of a type. Of each value, that is said once, with all types that it may have. */
const refusing = ["type", "const", "enum"];

function leadsTo(place: Place["path"], path: Problem["path"]): boolean {
  return place.length === path.length && place.every((step, at) => step === "*" || step === path[at]);
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

function refusal(
  path: Problem["path"],
  data: unknown,
  types: readonly Schema[],
  key: Schema,
  shown: Show,
): Pick<ShapeProblem, "message" | "instead"> {
  const words = types.flatMap((type) => type.enum ?? ("const" in type ? [type.const] : []));
  const others = types.filter((type) => !type.enum && !("const" in type));
  const word = typeof data === "object" ? undefined : closest(String(data), words.map(String));
  if (others.length === 0) return { message: notOneOf(data, words, shown), instead: word };
  const { formatMinimum, formatMaximum } = key;
  const accepted = others.map((type) =>
    inWords(type.type === "string" ? { ...type, formatMinimum, formatMaximum } : type),
  );
  const got = `${data === null ? "" : `${shown(data)} `}is ${typeName(data)}`;
  const { words: advice, value: instead } =
    word === undefined
      ? asWritten(path, data, types, key)
      : { words: suggest(String(data), [word]), value: words.find((each) => String(each) === word) };
  return { message: `${got}; accepted: ${[...words.map(String), ...accepted].join(" or ")}${advice}`, instead };
}

function toProblem(
  { keyword, params, data, message, parentSchema = {} }: ShapeError,
  path: Problem["path"],
  { shown, known, validate }: { readonly shown: Show; readonly known: Known; readonly validate: Validator },
): ShapeProblem {
  const problem = (text: string): Problem => ({ path, at: "value", message: text });
  switch (keyword) {
    case "additionalProperties": {
      const key = String(params.additionalProperty);
      const meant = meantBy(key, parentSchema);
      const isThere = meant !== undefined && Object.hasOwn(data as object, meant);
      const word = meant === undefined ? known([...path, key]) : undefined;
      const said = `unknown key${word === undefined ? whatInstead(key, parentSchema, validate.whole) : `; ${word}`}`;
      return { path: [...path, key], at: "key", message: said, ...(meant !== undefined && !isThere && { meant }) };
    }
    case "required": {
      const key = String(params.missingProperty);
      return { path: [...path, key], at: "value", message: missing(key, parentSchema) };
    }
    case "minProperties":
      return problem(`is empty; accepted: ${Object.keys(parentSchema.properties ?? {}).join(" or ")}, or leave it out`);
    case "minItems":
    case "maxItems":
      return {
        ...problem(`has ${count(data)}; accepted: ${range(parentSchema.minItems, parentSchema.maxItems)}`),
        isCount: true,
        instead: data,
      };
    case "minimum":
    case "maximum":
      return problem(
        `${shown(data)} is too ${keyword === "minimum" ? "small" : "large"}; accepted: ${inWords(parentSchema)}`,
      );
    default:
      return problem(`${shown(data)} ${message ?? "is not accepted"}`);
  }
}

/** Says what a key is that must be there; of descriptions, the check has only these. */
function missing(key: string, { properties = {} }: Schema): string {
  const description = properties[key]?.description;
  return `is required but missing${description === undefined ? "" : `; accepted: ${description.replaceAll("`", "")}`}`;
}

function range(least: string | number | undefined, most: string | number | undefined): string {
  if (least === undefined) return most === undefined ? "" : `at most ${most}`;
  return most === undefined ? `at least ${least}` : `${least} to ${most}`;
}

function notOneOf(data: unknown, accepted: readonly unknown[], shown: Show): string {
  const words = accepted.map(String);
  if (data === null) return `is empty; accepted: ${words.join(", ")}`;
  return `${shown(data)} is not one of ${words.join(", ")}${typeof data === "string" ? suggest(data, words) : ""}`;
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

function inWords({ type = [], words, properties = {}, required = [], ...limits }: Schema): string {
  const names = [type].flat().map((each) => (each === "boolean" ? "true or false" : typeInWords(each)));
  const keys = Object.keys(properties).map((key) => (required.includes(key) ? `${key} (required)` : key));
  const { formatMinimum = limits.minimum, formatMaximum = limits.maximum } = limits;
  return [
    words?.replace(/^./, (first) => first.toLowerCase()).replaceAll("`", "") ?? names.join(" or "),
    keys.length === 0 ? "" : ` of ${some(keys, 10)}`,
    formatMinimum === undefined && formatMaximum === undefined ? "" : `, ${range(formatMinimum, formatMaximum)}`,
  ].join("");
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
