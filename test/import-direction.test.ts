import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { root } from "./repository";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "import-direction-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the lint step says about one line in one file. */
function lint(file: string, line: string): string {
  mkdirSync(join(folder, dirname(file)), { recursive: true });
  writeFileSync(join(folder, file), `${line}\n`);
  const oxlint = [
    join(root, "node_modules/oxlint/bin/oxlint"),
    "--config",
    join(root, ".oxlintrc.json"),
    "--format",
    "unix",
  ];
  const { stdout, stderr } = spawnSync(process.execPath, oxlint, { cwd: folder, encoding: "utf8" });
  return stdout + stderr;
}

it.each([
  [
    "src/model/corefile/x.ts",
    'export * from "../../config/decode";',
    "src/model may import from itself, not from config",
  ],
  ["src/model/x.ts", 'export { App } from "cdk8s";', "src/model does not import cdk8s"],
  ["src/model/x.ts", 'export * as fs from "node:fs";', "src/model does not import node:fs"],
  [
    "src/config/x.ts",
    'export * from "../constructs/cluster-dns";',
    "src/config may import from model, itself, not from constructs",
  ],
  ["src/constructs/x.ts", 'export * from "../charts/cluster-charts";', "not from charts"],
  ["src/charts/x.ts", 'export * from "../output/yaml";', "not from output"],
  ["src/output/x.ts", 'export const x = () => import("../cli/synth.js");', "not from cli"],
  ["src/agent/x.ts", 'export * from "constructs";', "src/agent does not import constructs"],
  ["src/agent/watchdog/x.ts", 'export * from "../webhook/main";', "agent programs do not import each other"],
])("in %s, %s is refused", (file, line, message) => {
  expect(lint(file, line)).toContain(message);
});

it.each([
  ["src/model/spec/x.ts", 'export * from "../agent/x";'],
  ["src/agent/watchdog/x.ts", 'export * from "../kernel/nft";'],
  ["src/output/x.ts", 'export * from "../charts/cluster-charts";'],
])("in %s, %s is accepted", (file, line) => {
  expect(lint(file, line)).not.toContain("import-direction");
});
