import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaults } from "../../src/model/defaults";
import { cli, readText } from "../repository";
import { refusal, Scratch } from "./scratch";

const scratch = new Scratch();

it.each([["--help"], ["help"], ["-h"]])("%s lists the commands", (...args) => {
  const { exitCode, stdout } = scratch.runBundle(...args);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/Usage: npx cdk8s-cluster-dns COMMAND[^]*synth[^]*init/);
});

it("a command's --help lists its arguments, as does help with its name", () => {
  const told = { exitCode: 0, stdout: expect.stringContaining("Usage: npx cdk8s-cluster-dns init") };
  expect(scratch.run("init", "--help")).toMatchObject(told);
  expect(scratch.runBundle("help", "init")).toMatchObject(told);
});

it("--version prints the package's version, and `version` those of what it deploys too", () => {
  const { version } = JSON.parse(readText("package.json")) as { version: string };
  expect(scratch.runBundle("--version")).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  const { result } = JSON.parse(scratch.runBundle("version", "--format", "json").stdout) as { result: object };
  expect(result).toMatchObject({
    "cdk8s-cluster-dns": version,
    "authoritativeDNS.image": defaults.authoritativeDNS.image,
    "authoritativeDNS.autoscaler.image": defaults.autoscaler.image,
    agentImage: null,
    "nodeLocalDNS.image, without agentImage": defaults.nodeCacheImage,
  });
  expect(scratch.runBundle("version").stdout).toContain(
    "agentImage: none: build it (docs/agent-image.md of cdk8s-cluster-dns)\n",
  );
});

it.runIf(existsSync("/dev/full"))("says so where standard output takes nothing, and where nobody can be told", () => {
  const full = openSync("/dev/full", "w");
  const run = (stderr: "pipe" | number) =>
    spawnSync(process.execPath, [cli, "--help"], { stdio: ["ignore", full, stderr], encoding: "utf8" });
  const said = "cdk8s-cluster-dns: standard output cannot be written to (ENOSPC)\n";
  expect(run("pipe")).toMatchObject({ status: 1, stderr: said });
  expect(run(full)).toMatchObject({ status: 1 });
  closeSync(full);
});

it.skipIf(process.platform === "win32")("says so where the working directory was deleted", () => {
  const gone = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" synth`;
  const args = ["-c", gone, process.execPath, cli];
  const { status, stderr } = spawnSync("sh", args, { cwd: scratch.folder, encoding: "utf8" });
  expect(stderr).toContain("cdk8s-cluster-dns: the working directory is gone (ENOENT); change to the root");
  expect(status).toBe(1);
});

describe("wrong usage gives exit code 2 and a suggestion", () => {
  const all = "synth, diff, explain, preflight, doctor, init, leave, version, completion";
  it.each([
    [["synt"], "cdk8s-cluster-dns: unknown command synt; did you mean synth?\n"],
    [["help", "synt"], "cdk8s-cluster-dns: unknown command synt; did you mean synth?\n"],
    [["render"], `cdk8s-cluster-dns: unknown command render; accepted: ${all}\n`],
    [["toString"], `cdk8s-cluster-dns: unknown command toString; accepted: ${all}\n`],
    [["--verison"], "cdk8s-cluster-dns: unknown option --verison; did you mean --version?\n"],
  ])("%j", (args, stderr) => expect(scratch.runBundle(...args)).toEqual({ exitCode: 2, stdout: "", stderr }));

  it.each([
    [["synth", "--clusters", "a", "--clusters=b"], '--clusters: given twice, as "a" and "b"; it takes one value'],
    [["synth", "--cluster", "x"], "unknown option --cluster; did you mean --clusters?"],
    [["synth", "-x"], "unknown option -x; accepted: --clusters, --out, --nodes, --check, --quiet, --format, --help"],
    [["synth", "--clusters", ""], '--clusters needs a folder, but got ""'],
    [["synth", "--format", "jsn"], "--format jsn is not one of text, json; did you mean json?"],
    [["init", "a", "b"], "writes one file, but got 2 names"],
  ])("of a command: %j", (args, message) => {
    expect(scratch.run(...args)).toEqual(refusal(`cdk8s-cluster-dns ${args[0]}: ${message}\n`, 2));
  });

  it("an option without its value", () => {
    const { exitCode, stderr } = scratch.run("synth", "--out");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--out");
  });

  it("no command at all", () => {
    const stderr = expect.stringContaining("Usage: npx cdk8s-cluster-dns COMMAND") as string;
    expect(scratch.runBundle()).toMatchObject({ exitCode: 2, stdout: "", stderr });
  });
});
