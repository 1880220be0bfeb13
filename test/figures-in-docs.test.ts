import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeHash, type Marker, markersIn } from "../rig/figures/marker";
import { scripts } from "../package.json";
import { root } from "./repository";

const pages = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join(root, "docs", name), "utf8") }));
const markers = pages.flatMap(({ name, text }) => markersIn(text).map((marker) => ({ page: name, ...marker })));

const older = "Measured before ";

describe("figures in docs", () => {
  it.each(markers)("docs/$page, line $line: say so if they are older than the code that they are about", (marker) => {
    expect(problemsOf(marker, codeHash(marker.of))).toEqual([]);
  });

  it.each(markers)("docs/$page, line $line: are printed by a command that there is", ({ command }) => {
    const [, script = "", args = ""] = /^npm run (\S+)(?: -- (.*))?$/.exec(command) ?? [];
    expect(Object.keys(scripts)).toContain(script);
    const projects = [...args.matchAll(/--project (\S+)/g)].map(([, project = ""]) => `name: "${project}"`);
    const configuration = readFileSync(join(root, "vitest.e2e.config.mts"), "utf8");
    expect(projects.filter((project) => !configuration.includes(project))).toEqual([]);
    const files = args.split(" ").filter((arg) => arg.endsWith(".ts"));
    expect(files.map((file) => codeHash([file]))).toHaveLength(files.length);
  });

  // Elsewhere, numbers in tables are settings.
  const measured = pages.filter(({ name }) => /^(failover|gitops|performance|testing)\.md$/.test(name));

  it.each(measured)("docs/$name: each table of them has a comment of its own that names the command", ({ text }) => {
    const blocks = text.split(/\n\n+/);
    const tables = blocks.flatMap((block, index) => (block.startsWith("|") && hasFigures(block) ? [index] : []));
    const bare = tables.filter((index) => {
      const since = blocks.findLastIndex((each, at) => at < index && /^[|#]/.test(each));
      return markersIn(blocks.slice(since + 1, index).join("\n")).length !== 1;
    });
    expect(tables).not.toEqual([]);
    expect(bare.map((index) => blocks[index]?.split("\n")[2])).toEqual([]);
  });
});

/** What to do, if anything. */
function problemsOf({ of, at, next, command }: Marker, now: string): string[] {
  const saysOlder = next.startsWith(older);
  if (saysOlder !== (at === now)) return [];
  if (saysOlder) return [`not older any more: take "${older}..." away`];
  return [
    `${of.join(", ")} changed since: measure again with ${command} and write "at ${now}", or begin the next line with "${older}" and what changed`,
  ];
}

/** `0 of 20,057`, `14 s`, `2.73` */
function hasFigures(table: string): boolean {
  return /\d of \d|\d ?(?:ms|s|MiB|MB|%) |\b\d+\.\d\d?\b(?!\.)/.test(table);
}

describe("the comment above figures", () => {
  const marker: Marker = { line: 1, command: "npm run x", of: ["src/a"], at: "1", next: "| what |" };

  it("asks for a note once the code has changed, and for its end once they were measured again", () => {
    const note = "Measured before a second.";
    expect(problemsOf(marker, "1")).toEqual([]);
    expect(problemsOf(marker, "2")).toEqual([expect.stringMatching(/^src\/a changed since: .*npm run x.*"at 2"/)]);
    expect(problemsOf({ ...marker, next: note }, "2")).toEqual([]);
    expect(problemsOf({ ...marker, next: note }, "1")).toEqual([expect.stringMatching(/^not older any more/)]);
  });

  it("has a hash that changes with names and contents of files, and not with what is generated", () => {
    const folder = mkdtempSync(join(tmpdir(), "figures-"));
    const write = (file: string, text: string) => writeFileSync(join(folder, "a", file), text);
    mkdirSync(join(folder, "a/deep"), { recursive: true });
    const hashes = [
      () => write("one.ts", "1"),
      () => write("deep/two.ts", "2"),
      () => write("one.ts", "3"),
      () => write("validate.js", "4"),
    ].map((change) => {
      change();
      return codeHash(["a"], folder);
    });
    rmSync(folder, { recursive: true });
    expect(new Set(hashes).size).toBe(3);
    expect(hashes[3]).toBe(hashes[2]);
  });
});
