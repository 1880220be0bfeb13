import { describe, expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { textProblems } from "../../../src/model/check/text";
import { formatPath } from "../../../src/model/syntax/problem";
import { type Schema, schema } from "../../schema";
import { agentImage, problemsOf } from "./problems";

describe("text that is allowed nowhere", () => {
  it.each<[message: string, props: object]>([
    ['annotations.note: "5 $$" holds $$, which Flux would replace', { annotations: { note: "5 $$" } }],
    ['annotations.note: "\\ud800" holds a line break or another control', { annotations: { note: "\ud800" } }],
    ['labels.${A}: "${A}" holds ${, which Flux would replace', { labels: { "${A}": "b" } }],
    ['authoritativeDNS.corefile.otherNames: "log\\r" holds a \\r', { "authoritativeDNS.corefile.otherNames": "log\r" }],
    ['nodeSelector.a: "b\u2028" holds a', { agentImage, "nodeLocalDNS.nodePlacement.nodeSelector": { a: "b\u2028" } }],
  ])("%s", (message, props) => expect(problemsOf(props)).toEqual([expect.stringContaining(message)]));

  it("but annotations may have several lines", () => {
    expect(problemsOf({ annotations: { note: "any text:\n\treally $5 {x}" } })).toEqual([]);
  });

  it("a problem with a key is reported at the key", () => {
    expect(textProblems({ stubDomains: { "a\nb": ["10.1.1.1"] } })).toMatchObject([{ at: "key" }]);
  });
});

/** For each text in a schema, a description with only that value. */
function descriptionsWith(text: string): { path: string; description: unknown }[] {
  const places = (part: Schema): { path: (string | number)[]; value: unknown }[] => {
    if (part.$ref) return places(schema.definitions?.[part.$ref.replace("#/definitions/", "")] ?? {});
    if ([part.type].flat().includes("string") && !part.enum) return [{ path: [], value: text }];
    if (part.items) return places(part.items).map(({ path, value }) => ({ path: [0, ...path], value: [value] }));
    const named = {
      ...part.properties,
      ...(typeof part.additionalProperties === "object" && { k: part.additionalProperties }),
    };
    return Object.entries(named).flatMap(([key, child]) =>
      places(child).map(({ path, value }) => ({ path: [key, ...path], value: { [key]: value } })),
    );
  };
  return places(schema).map(({ path, value }) => ({ path: formatPath(path), description: value }));
}

describe.each(["a${B}", "a\u0007"])("every text of the schema is checked: %j", (text) => {
  const descriptions = descriptionsWith(text).filter(
    ({ path }) => text.includes("$") || !path.startsWith("annotations"),
  );

  it("there are many", () => expect(descriptions.length).toBeGreaterThan(40));

  it.each(descriptions)("$path", ({ path, description }) => {
    const problems = (resolve(description).problems ?? []).filter((problem) => formatPath(problem.path) === path);
    expect(problems).toMatchObject([{ message: expect.stringMatching(/ holds (\$\{|a line break|a \\r)/) }]);
  });
});
