import { expect, it } from "vitest";
import { namesIn, readText } from "./repository";

const pages = ["README.md", ...namesIn("docs").map((name) => `docs/${name}`)].filter((path) => path.endsWith(".md"));

const [, tasks = ""] = /^## Tasks\n([^]*?)^## /m.exec(readText("docs/README.md")) ?? [];
const taskPages = [...tasks.matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name = ""]) => name);

it.each(taskPages)("docs/%s, of a task, has what to write, what you see and how to undo it", (page) => {
  const text = readText(`docs/${page}`);
  expect([/^```/m, /\b[Yy]ou\s(also\s)?see\b/, /\b[Tt]o\sundo\b/].filter((part) => !part.test(text))).toEqual([]);
});

it.each(pages)("tables in docs of %s have as many cells in each row as in their heads", (page) => {
  let head: number | undefined;
  const uneven = readText(page)
    .split("\n")
    .filter((line) => {
      const cells = line.startsWith("|") ? cellsOf(line) : undefined;
      head = cells === undefined ? undefined : (head ?? cells);
      return cells !== head;
    });
  expect(uneven).toEqual([]);
});

/** A bar after a backslash is a letter, also in code. */
function cellsOf(line: string): number {
  return line.replaceAll(String.raw`\|`, "").split("|").length - 2;
}
