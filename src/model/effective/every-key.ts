import { differences } from "../kubernetes/differences";
import { isMapping } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";

/** The parts of clusters/schema.json that say which keys there are, and what happens without a value. */
export interface KeySchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly KeySchema[];
  readonly properties?: { readonly [key: string]: KeySchema };
  readonly required?: readonly string[];
  readonly definitions?: { readonly [name: string]: KeySchema };
}

export interface KeyValue {
  readonly path: Problem["path"];
  /** Undefined if the key has none. */
  readonly value: unknown;
  /** What it means that there is no value. */
  readonly remark?: string | undefined;
  /** Whether the schema has this value for those who say nothing, in every cluster. */
  readonly isDefault?: boolean;
}

/** In a mapping of values: that of each key which is not there. */
export const otherKeys = "*";

/** Lists the values of every key that a schema knows, in its order; `null` is a key without effect. */
export function everyKey(schema: KeySchema, values: { readonly [key: string]: unknown }): KeyValue[] {
  return ofObject(schema, values, []);

  function ofObject(
    { properties = {} }: KeySchema,
    object: { readonly [key: string]: unknown },
    path: KeyValue["path"],
  ): KeyValue[] {
    return Object.entries(properties).flatMap(([key, property]) =>
      ofValue(property, object[Object.hasOwn(object, key) ? key : otherKeys], [...path, key]),
    );
  }

  function ofValue(
    property: KeySchema,
    value: unknown,
    path: KeyValue["path"],
    isDefault = differences(property.default, value).length === 0,
  ): KeyValue[] {
    if (value === undefined) return [{ path, value, remark: defaultInWords(property) }];
    if (value === null) return [{ path, value: undefined, remark: "no effect in this cluster" }];
    if (Array.isArray(value) && value.some(isMapping))
      return value.map((entry: unknown, i) => ({ path: [...path, i], value: entry }));
    if (!isMapping(value)) return [{ path, value, isDefault }];
    const object = optionsIn(schema, property);
    if (object) return ofObject(object, value, path);
    const entries = Object.entries(value);
    if (entries.length === 0) return [{ path, value, isDefault }];
    return entries.flatMap(([key, entry]) => ofValue({}, entry, [...path, key], isDefault));
  }
}

function optionsIn({ definitions = {} }: KeySchema, property: KeySchema): KeySchema | undefined {
  return [property, ...(property.anyOf ?? [])]
    .map((each) => definitions[each.$ref?.split("/").at(-1) ?? ""] ?? each)
    .find(({ properties }) => properties);
}

/** What values switch on, with no more of it than a schema requires. */
export function switchedOn(
  schema: KeySchema,
  values: { readonly [key: string]: unknown },
  { properties = {}, required = [] }: KeySchema = schema,
): { readonly [key: string]: unknown } {
  const kept = Object.entries(values).flatMap(([key, value]) => {
    const options = properties[key] && optionsIn(schema, properties[key]);
    if (options && isMapping(value)) return [[key, switchedOn(schema, value, options)] as const];
    return required.includes(key) || (options && value === true) ? [[key, value] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** scripts/generate.mjs puts a default that is not a value at the end of the description. */
function defaultInWords({ description = "" }: KeySchema): string | undefined {
  const words = /(?:^|\n\n)Default: ([^]*)\.$/.exec(description)?.[1];
  return words && `default: ${words.replace(/\s+/g, " ")}`;
}
