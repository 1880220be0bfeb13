import { expect, it } from "vitest";
import { dense, type Sparse } from "../../../src/model/syntax/sparse";

it.each<[Sparse<string | number>, (string | number)[]]>([
  ["one", ["one"]],
  [undefined, []],
  [false, []],
  // Neither is a gap.
  [
    ["", 0],
    ["", 0],
  ],
  [
    ["a", false, ["b", undefined, [["c"]]], []],
    ["a", "b", "c"],
  ],
])("%j has the items %j", (sparse, items) => expect(dense(sparse)).toEqual(items));
