import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { importScript, root } from "./repository";
import { temporaryFolder } from "./temporary-folder";

const runner = pathToFileURL(join(root, "scripts/run-suites.mjs")).href;

it.each<[what: string, files: string[], included: string[], named: string[], problem?: string]>([
  ["each once", ["a", "b"], ["a", "b"], ["b", "a"]],
  ["of no suite", ["a", "b"], ["a"], ["a"], "b: no vitest.*.config.mts includes it"],
  ["of neither", ["a"], ["a"], [], "a: its suite suite includes it once, steps run it 0 times"],
  ["of both", ["a"], ["a"], ["a", "a"], "a: its suite suite includes it once, steps run it 2 times"],
  ["of two projects", ["a"], ["a", "a"], ["a", "a"], "a: its suite suite includes it 2 times, steps run it 2 times"],
  ["gone", [], [], ["a"], "a: its suite suite includes it 0 times, steps run it once"],
])("test files that CI and the night share: %s", async (_what, files, included, named, problem) => {
  type Misplaced = (files: readonly string[], suites: readonly object[]) => string[];
  const { misplaced } = await importScript<{ misplaced: Misplaced }>("suites.mjs");
  expect(misplaced(files, [{ script: "suite", included, named }])).toEqual(problem === undefined ? [] : [problem]);
});

it("keeps what each step printed, and names the log of the one that failed", () => {
  const folder = temporaryFolder("run-suites", onTestFinished);
  const logs = join(folder, "logs");
  const program = `
    const { run, runSuites } = await import(${JSON.stringify(runner)});
    const step = (name, script) => run(name, [process.execPath, "-e", script]);
    await runSuites(
      [
        step("fine", "console.log('well')"),
        [[step("first", "console.log('one')")], [step("be: side", "console.error('why'); process.exit(3)")]],
      ],
      ${JSON.stringify(logs)},
    );`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stdout).toMatch(/\bwell\n/);
  const [, named = ""] = /failed \(3\): (\S+)/.exec(stdout) ?? [];
  expect(readFileSync(join(folder, named), "utf8")).toBe("why\n");
  expect(readFileSync(join(logs, "1-fine.log"), "utf8")).toBe("well\n");
});
