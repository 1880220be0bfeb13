import { describe, expect, it } from "vitest";
import type { WrittenCorefile, WrittenDirective } from "../../../src/model/corefile/corefile";
import { parseCorefile } from "../../../src/model/corefile/parse";
import { nameOfKey } from "../../../src/model/corefile/server-key";

/** Blocks as `KEYS: DIRECTIVE; DIRECTIVE`, with options in braces. */
function shown(corefile: WrittenCorefile): string[] {
  return corefile.map(({ keys, plugins }) => `${keys.map(nameOfKey).join(" ")}: ${plugins.map(line).join("; ")}`);
}

function line({ name, args, options }: WrittenDirective): string {
  const braces = options.length > 0 ? [`{${options.map(line).join("; ")}}`] : [];
  return [name, ...args.map((each) => `[${each}]`), ...braces].join(" ");
}

describe("parseCorefile", () => {
  it("reads blocks, directives, options, quotes and comments as CoreDNS does", () => {
    const text = `# all of it
a.example:53,
tls://b.example {
  log # each
  file "a \\"b\\" c" x#y {
    option 1
  }
}
.:5353 { whoami }`;
    expect(shown(parseCorefile(text))).toEqual([
      'a.example tls://b.example: log; file [a "b" c] [x] {option [1]}',
      ".:5353: whoami",
    ]);
    expect(parseCorefile("")).toEqual([]);
  });

  it("knows where each directive is", () => {
    const [block] = parseCorefile("# first\n. {\n  errors {\n\tconsolidate 5m x\n  }\n}");
    expect(block).toMatchObject({ at: { line: 2, column: 1 } });
    expect(block?.plugins[0]).toMatchObject({ at: { line: 3, column: 3 }, options: [{ at: { line: 4, column: 2 } }] });
  });

  it("fills in snippets and the files it is given, and keeps imports of others", () => {
    const text = `(common) {
  errors {
    stacktrace
  }
  import options
}
import blocks/*
. {
  import common
  import unknown/*
}`;
    const files: { readonly [pattern: string]: string[] } = {
      "blocks/*": ["a. { whoami }", "b. { whoami }"],
      options: ["log"],
    };
    expect(shown(parseCorefile(text, (pattern) => files[pattern]))).toEqual([
      "a.: whoami",
      "b.: whoami",
      ".: errors {stacktrace}; log; import [unknown/*]",
    ]);
    expect(shown(parseCorefile("import x/*.server\n. { log }"))).toEqual([": import [x/*.server]", ".: log"]);
  });

  it("keeps lines of different files apart, whatever their numbers", () => {
    expect(shown(parseCorefile(". {\nimport a\nlog\n}", () => ["\n\nerrors"]))).toEqual([".: errors; log"]);
  });

  it("gives up on a snippet that imports itself, as CoreDNS does", () => {
    expect(shown(parseCorefile("(a) {\nlog\nimport a\n}\n. {\nimport a\n}"))[0]).toContain("import [a]");
  });

  const inBlock = ". {\n(a) {\nlog\n}\n}\n(a) {\nerrors\n}\nb {\nimport a\n}";
  it.each<[what: string, text: string, ...blocks: string[]]>([
    ["an import behind the brace of a block", "(a) {\nlog\n}\n. { import a\nerrors\n}", ".: log; errors"],
    ["the spaces of Go, and no others", ". {\nlog\u0085a\u00a0b\ufeffc\n}", ".: log [a] [b\ufeffc]"],
    ["a snippet between blocks, and not inside one", inBlock, ".: (a) {log}", "b: errors"],
    ["the last brace as the server block's as well", ". {\nlog\nerrors {\nx\n}\n", ".: log; errors {x}"],
    ["that brace in a snippet", "(a) {\nerrors {\nx\n}\n}\n. {\nimport a\n", ".: errors {x}"],
  ])("reads as CoreDNS does: %s", (_, text, ...blocks) => expect(shown(parseCorefile(text))).toEqual(blocks));

  it.each<[text: string, atLine: number, column: number]>([
    [".:53 {", 1, 6],
    [".:53 {\n log", 1, 6],
    [".:53 {\n a {\n b {\n}", 2, 4],
    [".:53", 1, 1],
    ["a\nb {\n}", 1, 1],
    ["ftp://a {\n}", 1, 1],
  ])("refuses %j, at its place", (text, atLine, column) => {
    expect(() => parseCorefile(text)).toThrow(expect.objectContaining({ at: { line: atLine, column } }));
  });
});

it("reads a large one in linear time", () => {
  const block = (i: number) => `z${i}.example:53 {\n  forward . 10.1.2.3\n  cache 30\n}\n`;
  const text = Array.from({ length: 20_000 }, (_, i) => block(i)).join("");
  const start = process.cpuUsage();
  expect(parseCorefile(text)).toHaveLength(20_000);
  // Some 0.3 s; when each word moved all after it, minutes.
  expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
});
