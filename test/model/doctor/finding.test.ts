import { expect, it } from "vitest";
import { grouped } from "../../../src/model/doctor/finding";

it("groups the lines of hundreds of nodes in time that grows with their number, not with its square", () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => `line ${i}`);
  expect(grouped(lines, () => "same")).toEqual([["same", lines]]);
});
