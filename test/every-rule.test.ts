import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../rig/repository";

it("a description is checked by every rule of src/model/check", () => {
  const folder = join(repositoryRoot, "src/model/check");
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const rules = readdirSync(folder).flatMap((file) =>
    [...read(file).matchAll(/export function (\w+Rules)\(/g)].map(([, rule = ""]) => rule),
  );
  const [applied = ""] = /\nconst rules[^]*?\n\];/.exec(read("resolve.ts")) ?? [];
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.filter((rule) => !applied.includes(rule))).toEqual([]);
});
