import { describe, expect, it } from "vitest";
import { compareCorefiles } from "../../../src/model/corefile/compare";
import { lineOf } from "../../../src/model/corefile/line";
import { parseCorefile } from "../../../src/model/corefile/parse";

/** `ZONE: before -> after`. */
function differences(before: string, after: string): string[] {
  return compareCorefiles(parseCorefile(before), parseCorefile(after)).map(
    ({ zone, before: was, after: is }) => `${zone}: ${was.map(lineOf).join(", ")} -> ${is.map(lineOf).join(", ")}`,
  );
}

describe("two Corefiles", () => {
  it("are equal if each zone is treated alike, in whatever blocks and order", () => {
    const one = ". {\n errors\n kubernetes cluster.local\n forward . 9.9.9.9\n}";
    const two =
      "cluster.local {\n kubernetes cluster.local\n errors\n forward . 9.9.9.9\n}\n. {\n forward . 9.9.9.9\n errors\n}";
    expect(differences(one, two)).toEqual([]);
  });

  it.each<[what: string, before: string, after: string, found: string[]]>([
    [
      "where a zone is asked",
      ". {\n forward . 9.9.9.9\n}\na.example {\n forward . 10.0.0.1\n}",
      ". {\n forward a.example 10.0.0.2\n forward . 9.9.9.9\n}",
      ["a.example: forward a.example 10.0.0.1 -> forward a.example 10.0.0.2"],
    ],
    ["a plugin that one lacks", ". {\n log\n}", ". {\n}", [".: log -> "]],
    ["an option", ". {\n health {\n lameduck 5s\n }\n}", ". {\n health\n}", [".: health { lameduck 5s } -> health"]],
    [
      "the order of one plugin's rules",
      ". {\n rewrite a b\n rewrite c d\n}",
      ". {\n rewrite c d\n rewrite a b\n}",
      [".: rewrite a b, rewrite c d -> rewrite c d, rewrite a b"],
    ],
    [
      "what is for all clients, not what a view has for some",
      ". {\n view a {\n expr true\n }\n log\n}\n. {\n any\n}",
      ". {\n any\n}",
      [],
    ],
  ])("differ in %s", (_, before, after, found) => {
    expect(differences(before, after)).toEqual(found);
  });
});
