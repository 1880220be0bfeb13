import fc from "fast-check";
import type { Schema } from "../schema";

type Candidates = readonly string[] | fc.Arbitrary<string>;

/** Candidates for any text: `values` of a property, else `types` of its type, and `keys` of the mapping with that name. */
export interface Words {
  readonly types: { readonly [type: string]: Candidates };
  readonly values: { readonly [property: string]: Candidates };
  readonly keys: { readonly [property: string]: readonly string[] };
  readonly any: fc.Arbitrary<string>;
}

/**
 * Values of the shape that a schema describes.
 * @param most Of a mapping's optional properties, at a time.
 */
export function fromSchema(root: Schema, words: Words, most = 4): fc.Arbitrary<unknown> {
  return ofSchema(root, "");

  function ofSchema(schema: Schema, property: string, named = ""): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return ofSchema(definition(schema.$ref), property, schema.$ref.split("/").at(-1));
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => ofSchema(each, property)));
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if ("const" in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type: string) => ofSchema({ ...schema, type }, property)));
    }
    switch (schema.type) {
      case "string":
        return text(words.values[property] ?? words.types[named], property);
      case "boolean":
        return fc.boolean();
      case "integer":
        return integer(schema);
      case "number":
        return fc.oneof(fc.nat(4), fc.double({ noNaN: true, noDefaultInfinity: true }));
      case "array":
        const range = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, 4) };
        return fc.array(ofSchema(schema.items ?? {}, property), range);
      case "object":
        return schema.properties ? record(schema) : dictionary(schema, property);
      default:
        throw new Error(`no arbitrary for ${JSON.stringify(schema)}`);
    }
  }

  function definition(ref: string): Schema {
    const found = root.definitions?.[ref.replace("#/definitions/", "")];
    if (!found) throw new Error(`no definition ${ref}`);
    return found;
  }

  function record({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
    const all = Object.entries(properties).map(([key, each]) => [key, ofSchema(each, key)] as const);
    const optional = Object.keys(properties).filter((key) => !required.includes(key));
    return fc
      .subarray(optional, { maxLength: Math.min(most, optional.length) })
      .chain((chosen) => fc.record(Object.fromEntries(all.filter(([key]) => [...required, ...chosen].includes(key)))));
  }

  function dictionary({ additionalProperties }: Schema, property: string): fc.Arbitrary<unknown> {
    const value = typeof additionalProperties === "object" ? ofSchema(additionalProperties, property) : fc.string();
    return fc.dictionary(text(words.keys[property], property), value, { maxKeys: 3, noNullPrototype: true });
  }

  function text(known: Candidates | undefined, property: string): fc.Arbitrary<string> {
    if (!known) throw new Error(`no values for the texts of ${property}: give test/properties/clusters.ts some`);
    const arbitrary = known instanceof fc.Arbitrary ? known : fc.constantFrom(...known);
    return fc.oneof({ arbitrary, weight: 24 }, words.any);
  }
}

// Both ends, and past them: JSON has no integers, only numbers that happen to be whole.
function integer({ minimum = -1, maximum = 2 ** 53 }: Schema): fc.Arbitrary<number> {
  const ends = fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1, 1e300);
  const powerOfTwo = fc.nat(31).map((bit) => 2 ** bit);
  const low = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 4000) });
  return fc.oneof({ arbitrary: low, weight: 20 }, { arbitrary: powerOfTwo, weight: 4 }, ends);
}
