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

it("every finding is provoked on the real cluster, but those that docs/doctor.md names", () => {
  const folder = join(repositoryRoot, "test/e2e/cases/doctor");
  const cases = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const [, listed = ""] = page.split("## Not run on a cluster");
  const named = [...listed.matchAll(/^- `([\w-]+)`/gm)].map(([, id]) => id);
  expect(ids.filter((id) => !cases.some((text) => text.includes(`"${id}"`)))).toEqual(named);
});
