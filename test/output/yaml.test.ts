import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toYaml, type Json } from "../../src/output/yaml";

/** What some YAML reader takes for a number, a boolean, a time, null, a merge or syntax if it is unquoted. */
const notPlain = [
  "1_000 0o7 -0o7 0o1_7 0x1 0x1_F 0b11 007 08 +1 1. 1e3 1E3 .5 .inf -.INF .NaN 1__0 e0 -E1".split(" "),
  "1:30 190:20:30.15 2001-01-01 yes Yes on OFF y N true False null ~ = <<".split(" "),
  "a: #x - --- ... ? !x &a *a @x `x %x {a [a ] | > \"x 'x".split(" "),
  ["", "a: b", "a #b", "- a", "? x", "2001-1-1 1:1:1", " a", "a ", "\t", "a\tb", "a\rb", "a\r\nb"],
  // No line of these alone begins or ends another document.
  ["...\nb", "a\n---\nb", "a\n... \nb", "---\n", "%YAML 1.2\n---\n"],
  ["\u0000", "\u0085", "\u2028", "\ufeff", "\u007f", "\n", "\n\n", "\na", " a\nb", "a\u0001\nb"],
].flat();

/** What is most frequent in manifests, and what no reader takes for anything else. */
const plain = [
  "kube-dns system:coredns registry.k8s.io/coredns/coredns:v1.14.7 /etc/coredns --nodelabels=a,b -conf x@sha256:0f".split(
    " ",
  ),
  "10.96.0.10 10.96.0.0/12 169.254.20.10:53 fd00::a 100m 70Mi 30s 25%".split(" "),
  ["a sentence, as it is"],
].flat();

it("a comment comes behind the line that it is for, and changes nothing", () => {
  const spec = { minReadySeconds: 9, note: "minReadySeconds: 9\nport: 1", env: [{ name: "PORT", value: "9" }] };
  const text = toYaml({ spec }, { "minReadySeconds: 9": "three periods", "name: PORT": "a hash", "port: 1": "never" });
  expect(text).toMatchSnapshot();
  expect(parse(text)).toEqual({ spec });
});

describe("a string", () => {
  it.each(notPlain)("%j is quoted if a reader could take it for something else", (text) => {
    for (const version of ["1.1", "1.2"] as const) {
      for (const merge of [false, true]) {
        const read = (value: Json): unknown => parse(toYaml(value), { version, merge });
        expect(read({ key: text })).toEqual({ key: text });
        expect(read({ [text]: "value" })).toEqual({ [text]: "value" });
        expect(read([text])).toEqual([text]);
        expect(read(text)).toBe(text);
      }
    }
  });

  it.each(plain)("%s is not quoted", (text) => {
    expect(toYaml({ key: text })).toBe(`key: ${text}\n`);
    expect(parse(toYaml({ key: text }), { version: "1.1" })).toEqual({ key: text });
  });
});

it("a property without a value is left out", () => {
  expect(toYaml({ a: undefined, b: { c: undefined }, d: 1 })).toBe("b: {}\nd: 1\n");
});

it("a number that JSON cannot hold is refused", () => expect(() => toYaml({ a: Number.NaN })).toThrow(TypeError));

it("any JSON reads the same in YAML 1.1 and 1.2", () => {
  const number = fc.stringMatching(/^[-+0-9.:_exoabn \n]{1,8}$/);
  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(...notPlain), number);
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("json"), { maxLength: 4 }),
      fc.dictionary(text, tie("json"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      const written = toYaml(value);
      for (const version of ["1.1", "1.2"] as const)
        expect(parse(written, { version, maxAliasCount: 0 })).toEqual(value);
    }),
    { numRuns: 500 },
  );
});
