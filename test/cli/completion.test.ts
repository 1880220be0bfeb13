import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { refusal, Scratch } from "./scratch";

const scratch = new Scratch();
beforeAll(() => {
  for (const name of ["infra", "prod"]) scratch.write(`clusters/${name}.yaml`, "");
  mkdirSync(join(scratch.folder, "bin"));
  chmodSync(scratch.cli, 0o755);
  symlinkSync(scratch.cli, join(scratch.folder, "bin/cdk8s-cluster-dns"));
});

it.each<[typed: string, candidates: string]>([
  ["explain --se", "--clusters --set --format --help"],
  ["explain --set ", "infra prod"],
  ["diff infra pr", "infra prod"],
  ["help le", "synth diff explain preflight doctor init leave"],
  ["help leave ", ""],
  ["diff --clusters ", ""],
  ["diff --clusters elsewhere ", ""],
  ["init ", ""],
  ["toString ", ""],
])("what may follow %j", async (typed, candidates) => {
  const { stdout } = await scratch.runLater({}, "completion", "words", "--", ...typed.split(" "));
  expect(stdout.split("\n").slice(0, -1).join(" ")).toBe(candidates);
});

describe("a shell completes", () => {
  const scripts = {
    bash: `source <(cdk8s-cluster-dns completion bash)
      COMP_WORDS=(cdk8s-cluster-dns explain in) COMP_CWORD=2; _cdk8s_cluster_dns; echo "\${COMPREPLY[@]}"`,
    // Outside a widget, zsh has no compadd: this one prints what begins as the last word does.
    zsh: `autoload -Uz compinit && compinit -D -u
      compadd() { print -l -- \${(M)\${(@P)2}:#in*} }
      source <(cdk8s-cluster-dns completion zsh)
      words=(cdk8s-cluster-dns explain in) CURRENT=3; _cdk8s_cluster_dns`,
    fish: `cdk8s-cluster-dns completion fish | source; complete --do-complete "cdk8s-cluster-dns explain in"`,
  };

  for (const [shell, script] of Object.entries(scripts)) {
    const isThere = spawnSync(shell, ["--version"]).status === 0;
    it.skipIf(!isThere)(`${shell}, if it is installed`, () => {
      const PATH = `${join(scratch.folder, "bin")}:${process.env["PATH"]}`;
      const { stdout } = spawnSync(shell, [...(shell === "zsh" ? ["-f"] : []), "-c", script], {
        cwd: scratch.folder,
        encoding: "utf8",
        env: { ...process.env, PATH, HOME: scratch.folder },
      });
      expect(stdout).toBe("infra\n");
    });
  }
});

it("is loaded by a shell that starts in any folder, where npx would ask a registry", async () => {
  const { stdout } = await scratch.runLater({}, "completion", "--help");
  const lines = stdout.match(/^ {2}(?:bash|zsh|fish) .*$/gm) ?? [];
  expect(lines.map((line) => line.includes("npx"))).toEqual([false, false, false]);
});

it.each([
  { args: [], got: "none" },
  { args: ["powershell"], got: "powershell" },
])("no other shell: $got", async ({ args, got }) => {
  expect(await scratch.runLater({}, "completion", ...args)).toEqual(
    refusal(`cdk8s-cluster-dns completion: takes one of bash, zsh, fish, but got ${got}\n`, 2),
  );
});
