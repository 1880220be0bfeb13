import { expect, it } from "vitest";
import { show } from "../../../src/model/syntax/show";

it.each<[shown: string, value: unknown]>([
  ['"a\\n"', "a\n"],
  ["1e+300", 1e300],
  ["NaN", Number.NaN],
  ["-Infinity", -Infinity],
  ["3n", 3n],
  ["undefined", undefined],
  ["null", null],
  ['{"a":["NaN","10n"]}', { a: [Number.NaN, 10n] }],
  [`"${"x".repeat(76)}...`, "x".repeat(100)],
])("a value is shown as %s", (shown, value) => expect(show(value)).toBe(shown));
