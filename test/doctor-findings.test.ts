import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../rig/repository";
import { findings } from "../src/model/doctor/findings";

const ids = Object.keys(findings);
const page = readFileSync(join(repositoryRoot, "docs/doctor.md"), "utf8");

it("docs/doctor.md has a row of every finding, with its severity", () => {
  const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (error|warning|info) +\| (?! *\|)/gm)];
  expect(rows.map(([, id, severity]) => [id, severity])).toEqual(
    Object.entries(findings).map(([id, [severity]]) => [id, severity]),
  );
});

it("every finding is provoked by objects; without a cluster file, by the command", () => {
  const folder = join(repositoryRoot, "test/model/doctor");
  const files = [
    ...readdirSync(folder).map((file) => join(folder, file)),
    join(repositoryRoot, "test/cli/doctor.test.ts"),
  ];
  const cases = files.map((file) => readFileSync(file, "utf8"));
  expect(ids.filter((id) => !cases.some((text) => text.includes(`"${id}"`)))).toEqual([]);
});
