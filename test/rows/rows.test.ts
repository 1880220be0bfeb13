import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { golden } from "./golden";
import { rows } from "./rows";

it.each(rows)("each row renders its golden file (else: npm test -- test/rows -u): $name", (row) =>
  expect(golden(row)).toMatchFileSnapshot(join(__dirname, `${row.name}.yaml`)),
);

it("no golden file is left of a row that is no more", () => {
  const files = readdirSync(__dirname, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
  expect(files.sort()).toEqual(rows.map(({ name }) => `${name}.yaml`).sort());
});
