import { describe, expect, it } from "vitest";
import { parseCorefile } from "../../../src/model/corefile/parse";

describe("parseCorefile", () => {
  it("reads blocks, directives, options, quotes and comments as CoreDNS does", () => {
    const text = `# all of it
a.example:53,
b.example {
  log # each
  file "a \\"b\\" c" x#y {
    option 1
  }
}
.:53 { whoami }`;
    expect(parseCorefile(text)).toEqual([
      {
        keys: ["a.example:53", "b.example"],
        plugins: [
          { name: "log", args: [], options: [] },
          { name: "file", args: ['a "b" c', "x#y"], options: [{ name: "option", args: ["1"], options: [] }] },
        ],
      },
      { keys: [".:53"], plugins: [{ name: "whoami", args: [], options: [] }] },
    ]);
    expect(parseCorefile("")).toEqual([]);
  });

  it.each([".:53", ".:53 {", ".:53 {\n log"])("refuses braces that do not match: %j", (text) => {
    expect(() => parseCorefile(text)).toThrow(/brace/);
  });
});
