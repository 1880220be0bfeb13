import { expect, it } from "vitest";
import { titlesIn } from "../titles";
import { readText } from "../repository";

const text = readText("docs/seeds.md");
/** The second cells of the tables, below their heads. */
const cells = text
  .split("\n")
  .flatMap((line) => /^\|(?! (?:what it says|-))[^|]*\|(.*)\|$/.exec(line)?.[1]?.trim() ?? []);

it("names only tests that exist", () => {
  const named = cells.flatMap((cell) =>
    [...cell.matchAll(/`((?:test|rig)\/[^`]*)` ("[^"]*"(?:, "[^"]*")*)/g)].flatMap(([, file = "", names = ""]) =>
      [...names.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => ({ file, name })),
    ),
  );
  expect(named.length).toBeGreaterThan(cells.length / 2);
  const missing = named.filter(({ file, name }) => !isNamed(name, titlesIn(readText(file))));
  expect(missing).toEqual([]);
});

it("has for each line a test, a page, or the reason why there is none", () => {
  const bare = cells.filter(
    (cell) => !/`(?:test|rig)\/[^`]*` "|\]\(\w+\.md|^(?:Departs|Not done|Not run yet)/.test(cell),
  );
  expect(bare).toEqual([]);
});

/** Whether a title has these words; what it takes from elsewhere is none of them. */
function isNamed(name: string, titles: readonly string[]): boolean {
  return titles.some((title) => words(title).includes(words(name)));
}

function words(title: string): string {
  return ` ${title
    .replaceAll(/\$\{[^}]*\}?|[,:;]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()} `;
}
