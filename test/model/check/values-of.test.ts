import { expect, it } from "vitest";
import { outsideNameRules } from "../../../src/model/check/outside-names";
import { faults, valueRules } from "../../../src/model/check/values";
import { byType, valuesOf } from "../../../src/model/check/values-of";
import validate = require("../../../src/model/check/validate");
import { fillIn } from "../../../src/model/full-props/fill-in";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { parseDuration } from "../../../src/model/syntax/duration";
import type { Place } from "../../../src/model/syntax/shape";
import { importScript } from "../../repository";
import { schema } from "../../schema";

const duration = { $ref: "#/definitions/Duration" };
const schemaOf = (properties: object) => ({ properties, definitions: { Duration: { type: "string" } } });
const limits = { formatMinimum: "1s", formatMaximum: "1h" };
const alternatives = { anyOf: [duration, { type: "boolean" }], ...limits };

it.each<[where: string, properties: object, description: object, found: { readonly path: unknown[] }[]]>([
  ["with its range", { wait: { ...duration, ...limits } }, { wait: "2h" }, [{ path: ["wait"], ...limits }]],
  ["among alternatives, whose range it has", { wait: alternatives }, { wait: "2h" }, [{ path: ["wait"], ...limits }]],
  ["with another alternative's value: not at all", { wait: { anyOf: [duration, {}] } }, { wait: true }, []],
  ["in a list", { waits: { items: duration } }, { waits: ["2h"] }, [{ path: ["waits", 0] }]],
  ["in a mapping", { waits: { additionalProperties: duration } }, { waits: { a: "2h" } }, [{ path: ["waits", "a"] }]],
  ["and without a value: not at all", { waits: { properties: { a: duration } } }, { waits: undefined }, []],
])("a new key of type Duration is found %s", async (_, properties, description, found) => {
  const { placesIn } = await importScript<{ placesIn(of: object): Place[] }>("places-in.mjs");
  const values = valuesOf("Duration", description, byType(placesIn(schemaOf(properties))));
  expect(values).toEqual(found.map((each) => ({ value: "2h", ...each })));
});

const types = Object.entries(schema.definitions ?? {}).flatMap(([name, { type, enum: words }]) =>
  type === "string" && !words ? [name] : [],
);

it("every type of text has a check", () => {
  expect(types.toSorted()).toEqual([...Object.keys(faults), "Server", "CorefileText"].sort());
});

const texts = validate.places.filter(({ type }) => types.includes(type) && type !== "CorefileText");

it.each(texts.map((place) => [place.path.join("."), place.type, place.path] as const))(
  "%s is checked as its type says",
  (_, type, path) => {
    const description = path.reduceRight<unknown>((held, step) => (step === "*" ? [held] : { [step]: held }), "");
    const props = description as ClusterDnsProps;
    const said = { ...fillIn(props), ...(props as object) };
    const ofServers = outsideNameRules({ written: props, props, said, cluster: undefined });
    const [problem, ...more] = [...valueRules(props), ...(type === "Server" ? ofServers : [])];
    expect(problem).toMatchObject({ path: path.map((step) => (step === "*" ? 0 : step)), at: "value" });
    expect(problem?.message).toMatch(/^("" is not|holds no|has no) /);
    expect(more).toEqual([]);
  },
);

it("ranges of durations are durations, and not empty", () => {
  const ranges = validate.places.flatMap(({ path, formatMinimum: least, formatMaximum: most }) =>
    least === undefined && most === undefined ? [] : [{ path, least, most }],
  );
  expect(ranges.length).toBeGreaterThan(10);
  for (const { least = "", most = "" } of ranges) {
    expect(parseDuration(least)).toBeLessThan(parseDuration(most) ?? 0);
  }
});

it("no key whose default is a duration or an image is a mere string", () => {
  const mere = Object.entries({ ...schema.definitions, "": schema }).flatMap(([part, { properties = {} }]) =>
    Object.entries(properties).flatMap(([key, { type, default: value }]) =>
      type === "string" && (parseDuration(String(value)) !== undefined || /\/.*:/.test(String(value)))
        ? [`${part}.${key}`]
        : [],
    ),
  );
  expect(mere).toEqual([]);
});
