import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { root } from "./repository";
import { putFile, temporaryFolder } from "./temporary-folder";

const refused = [
  ["src/model/a/a.ts", 'export * from "../../config/b";', "src/model may import from itself, not from config"],
  ["src/model/b.ts", 'export { App } from "cdk8s";', "src/model must not import cdk8s"],
  ["src/model/c.ts", 'export * as fs from "node:fs";', "src/model must not import node:fs"],
  ["src/config/d.ts", 'export * from "../constructs/e";', "may import from model, itself, not from constructs"],
  ["src/constructs/e.ts", 'export * from "../charts/cluster-charts";', "not from charts"],
  ["src/charts/f.ts", 'export * from "../output/yaml";', "not from output"],
  ["src/output/g.ts", 'export const x = () => import("../cli/synth.js");', "not from cli"],
  ["src/agent/h.ts", 'export * from "constructs";', "src/agent must not import constructs"],
  ["src/agent/watchdog/i.ts", 'export * from "../webhook/main";', "agent programs must not import each other"],
  ["bench/m.ts", 'export * from "../test/e2e/lib/dig";', "bench must not import from test"],
  ["rig/load/n.ts", 'export * from "../../test/kernel/setup";', "rig must not import from test"],
  ["src/model/circle/one.ts", 'export type { Two } from "./two"; export type One = 1;', "Dependency cycle detected"],
  ["src/model/circle/two.ts", 'export type { One } from "./one"; export type Two = 2;', "Dependency cycle detected"],
] as const;

const accepted = [
  ["src/model/props/j.ts", 'export * from "../agent/x";'],
  ["src/agent/watchdog/k.ts", 'export * from "../kernel/nft";'],
  ["src/output/l.ts", 'export * from "../charts/cluster-charts";'],
  ["bench/o.ts", 'export * from "../rig/load/report";'],
] as const;

const folder = temporaryFolder("import-direction");
let findings: string[];
beforeAll(() => {
  for (const [file, line] of [...refused, ...accepted]) putFile(folder, file, `${line}\n`);
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const args = [oxlint, "--config", join(root, ".oxlintrc.json"), "--format", "unix"];
  findings = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout.split("\n");
});

it.each(refused)("refused: %s with %s", (file, _, message) => {
  expect(findings).toContainEqual(expect.stringMatching(new RegExp(`${file}.*${message}`)));
});

it.each(accepted)("accepted: %s with %s", (file) => {
  expect(findings.filter((finding) => finding.includes(file) && finding.includes("import-direction"))).toEqual([]);
});
