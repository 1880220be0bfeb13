import { expect, it } from "vitest";
import { findings } from "../src/model/doctor/findings";
import { namesIn, readText } from "./repository";

const ids = Object.keys(findings);
const page = readText("docs/doctor.md");

it("docs/doctor.md has a row of every finding, with its severity", () => {
  const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (error|warning|info) +\| (?! *\|)/gm)];
  expect(rows.map(([, id, severity]) => [id, severity])).toEqual(
    Object.entries(findings).map(([id, [severity]]) => [id, severity]),
  );
});

it("titles read right for one and for many", () => {
  const fixed = ["pods", "queries", "replies", "rights", "rules", "servers", "watches", "kubelets", "webhooks"];
  const titles = Object.values(findings).map(([, title]) => title.replaceAll(/\{[^{|}]+\|[^{|}]+\}/g, "both"));
  // What begins with a verb, or with a word for one, has another form for many.
  const isOfOne = (title: string) =>
    /^(it|its|was|has|[a-z]*s)\b/.test(title) && !fixed.includes(title.split(" ")[0] ?? "");
  expect(titles.filter((title) => isOfOne(title) || /[{|}]/.test(title))).toEqual([]);
});

it("every finding is provoked by objects; without a cluster file, by the command", () => {
  const ofModel = namesIn("test/model/doctor").map((file) => `model/doctor/${file}`);
  const cases = [...ofModel, "cli/doctor.test.ts"].map((file) => readText(`test/${file}`));
  expect(ids.filter((id) => !cases.some((text) => text.includes(`"${id}"`)))).toEqual([]);
});
