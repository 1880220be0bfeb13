import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { boxesIn, expectShown } from "./boxes";
import { Scratch } from "./cli/scratch";
import { root } from "./repository";

/** Commands that need neither a cluster nor another program. */
const alone = /^\$ npx cdk8s-cluster-dns ((?:diff|explain)\b[^\n]*)\n([^]*)$/;
const first = boxesIn("README.md")[0]?.text ?? "";

/** Each command in a box, what it prints, and the box of keys before it. */
const shown = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => {
    const boxes = boxesIn(join("docs", name));
    return boxes.flatMap(({ text }, index) => {
      const [, command = "--context", printed = ""] = alone.exec(text) ?? [];
      const keys = boxes.slice(0, index).findLast(({ language }) => language === "yaml")?.text ?? "";
      return command.includes("--context") ? [] : [{ page: join("docs", name), command, printed, keys }];
    });
  });

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
  // Before the last day of a page's log.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 27) });
});
afterAll(() => {
  vi.useRealTimers();
  scratch.remove();
});

describe("what docs show of a command", () => {
  it.each(shown)("$page: $command prints it", ({ command, printed, keys }) => {
    const [base, more] = [first, keys].map((text) => (parse(text) ?? {}) as { readonly [key: string]: unknown });
    const shared = Object.entries(more ?? {}).filter(([key]) => key in (base ?? {}));
    scratch.write("clusters/prod-eu.yaml", stringify({ ...base, ...Object.fromEntries(shared) }));
    scratch.run("synth");
    scratch.write("clusters/prod-eu.yaml", keys === "" ? first : stringify({ ...base, ...more }));
    const { exitCode, stdout, stderr } = scratch.run(...command.split(" "));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expectShown(stdout, printed);
  });
});
