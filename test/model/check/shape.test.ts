import { describe, expect, it } from "vitest";
import validate = require("../../../src/model/check/validate");
import { formatPath } from "../../../src/model/syntax/problem";
import { shapeProblems } from "../../../src/model/syntax/shape";
import { type Schema, schema } from "../../schema";

describe("an editor can explain every key", () => {
  const mappings = { ClusterDnsProps: schema, ...schema.definitions };
  const keys = Object.entries(mappings).flatMap(([mapping, { properties = {} }]) =>
    Object.entries(properties).map(([key, { description }]) => ({ key: `${mapping}.${key}`, description })),
  );

  it("there are some", () => expect(keys.length).toBeGreaterThan(50));

  it("each is described", () => {
    // The keys of linear autoscaling speak for themselves: their parent explains the formula.
    const plain = /^AutoscalerOptions\.(coresPerReplica|nodesPerReplica|min|max)$/;
    expect(keys.filter(({ key, description }) => !description && !plain.test(key)).map(({ key }) => key)).toEqual([]);
  });
});

const keys = keysIn(schema, []);

it.each<[what: string, value: unknown, accepts: (types: readonly string[]) => boolean]>([
  ["true", true, (types) => types.includes("boolean")],
  ["a text", "", (types) => types.includes("string")],
  ["a list", [], (types) => types.includes("array")],
  ["half a number", 0.5, (types) => types.includes("number")],
  ["nothing", null, () => false],
])("a value that is wrong is refused once, with all that is accepted, whatever the key: %s", (_, value, accepts) => {
  const wrong = keys.filter(({ types }) => !accepts(types));
  expect(wrong.length).toBeGreaterThan(100);
  const said = wrong.map(({ path, types }) => ({ path, types, problems: problemsWith(path, value) }));
  expect(said.filter(({ problems }) => problems.length !== 1)).toEqual([]);
  // Each type that a value may have is in the words of its message.
  expect(said.filter(({ types, problems: [what = ""] }) => types.some((type) => !names(what, type)))).toEqual([]);
});

type Path = readonly (string | number)[];

/** Each place that may hold a value of its own, and of which types that may be; words have none. */
function keysIn(node: Schema, path: Path): { path: Path; types: string[] }[] {
  const all = [node, ...(node.anyOf ?? [])].map(resolved);
  const types = all.flatMap((each) => (each.enum || "const" in each ? [] : [each.type ?? []].flat()));
  const below = all.flatMap(({ properties = {}, items, additionalProperties }) => [
    ...Object.entries(properties).flatMap(([key, each]) => keysIn(each, [...path, key])),
    ...(items ? keysIn(items, [...path, 0]) : []),
    ...(typeof additionalProperties === "object" ? keysIn(additionalProperties, [...path, "a"]) : []),
  ]);
  return [{ path, types }, ...below];
}

function resolved(node: Schema): Schema {
  return node.$ref === undefined ? node : (schema.definitions?.[node.$ref.replace("#/definitions/", "")] ?? node);
}

function problemsWith(path: Path, value: unknown): string[] {
  const description = path.reduceRight<unknown>((held, key) => (key === 0 ? [held] : { [key]: held }), value);
  return shapeProblems(validate, description).flatMap((problem) =>
    formatPath(problem.path) === formatPath(path) ? [problem.message] : [],
  );
}

function names(message: string, type: string): boolean {
  const words: { readonly [type: string]: RegExp } = {
    boolean: /true or false/,
    array: /a list/,
    object: /a mapping/,
    integer: /a whole number/,
    number: /a number/,
    // Or one of the texts that have a type of their own.
    string: /; accepted: /,
  };
  return words[type]?.test(message) === true;
}
