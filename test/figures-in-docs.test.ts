import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { codeHash, type Marker, markersIn } from "../rig/figures/marker";
import { scripts } from "../package.json";
import { namesIn, readText } from "./repository";
import { putFile, temporaryFolder } from "./temporary-folder";

const pages = namesIn("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readText(`docs/${name}`) }));
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
    const configuration = readText("vitest.e2e.config.mts");
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

describe("README.md", () => {
  const [, kill = "", hang = ""] =
    /killed cache costs at most (\d+) of 500 queries a second, a hung one (\d+) ms with nftables/.exec(
      readText("README.md"),
    ) ?? [];
  const [bench = ""] = pages.flatMap(({ name, text }) => (name === "failover.md" ? [text] : []));
  const rows = bench.split("\n").flatMap((line) => {
    const [, what = "", , mode = "", , lost = "", window = ""] = line.split("|").map((cell) => cell.trim());
    return /^\d+$/.test(lost) && !mode.includes("iptables")
      ? [{ what, lost: Number(lost), window: Number(window) }]
      : [];
  });
  const hungOf = rows.filter(({ what }) => what.endsWith("SIGSTOPped"));
  const killedOf = rows.filter(({ what }) => /cache SIGKILLed|then the cache$/.test(what));

  it("promises of a cache that is killed what docs/failover.md has at most, on a cluster too", () => {
    const most = Math.max(...killedOf.map(({ lost }) => lost), Number(/SIGKILL\*\* once lost (\d+)/.exec(bench)?.[1]));
    expect(Number(kill)).toBe(most);
  });

  it("promises of one that hangs what the table of docs/failover.md has, to ten milliseconds", () => {
    expect(hungOf.length).toBeGreaterThan(2);
    expect(hungOf.filter(({ window }) => Math.round(window / 10) * 10 !== Number(hang))).toEqual([]);
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

  it("has a hash that changes with names and contents of files, and not with headers or what is generated", () => {
    const folder = temporaryFolder("figures", onTestFinished);
    const write = (file: string, text: string) => putFile(folder, join("a", file), text);
    const hashes = [
      () => write("one.ts", "1"),
      () => write("deep/two.ts", "2"),
      () => write("one.ts", "3"),
      () => write("validate.js", "4"),
      () => write("one.ts", "# Generated by cdk8s-cluster-dns from x\n3"),
    ].map((change) => {
      change();
      return codeHash(["a"], folder);
    });
    expect(new Set(hashes).size).toBe(3);
    expect(hashes.slice(3)).toEqual([hashes[2], hashes[2]]);
  });
});
