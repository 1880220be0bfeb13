import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { exclusively, hasWorkspaces } from "../../src/output/exclusively";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "exclusively-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The end of the names that workspaces have here. */
const host = () => exclusively(folder, (workspace) => workspace.slice(workspace.indexOf("@") + 1));

function leave(name: string): void {
  mkdirSync(join(folder, name, "prod"), { recursive: true });
  writeFileSync(join(folder, name, "prod/a.yaml"), "");
}

it("provides a workspace, and removes it even if the work fails", () => {
  const seen = exclusively(folder, (workspace) => [existsSync(workspace), hasWorkspaces(folder)]);
  expect(seen).toEqual([true, true]);
  expect(() =>
    exclusively(folder, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(readdirSync(folder)).toEqual([]);
});

it("removes what killed processes left, even one with our pid, and nothing else", () => {
  const { pid: dead } = spawnSync(process.execPath, ["-e", "0"]);
  for (const name of [`.synth-${dead}@${host()}`, `.synth-${process.pid}@${host()}`, ".synth-mine", "prod"])
    leave(name);
  exclusively(folder, (workspace) => expect(readdirSync(workspace)).toEqual([".gitignore"]));
  expect(readdirSync(folder).sort()).toEqual([".synth-mine", "prod"]);
});

it("waits for a working process, and names it in the end", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  try {
    const name = `.synth-${other.pid}@${host()}`;
    leave(name);
    const start = Date.now();
    expect(() => exclusively(folder, () => expect.unreachable(), 200)).toThrow(
      new RegExp(
        `^${folder}: process ${other.pid} on .+ has been writing to it since 2.+Z; run again when it has finished, or, if it was killed, delete ${folder}/${name}$`,
      ),
    );
    expect(Date.now() - start).toBeGreaterThan(190);
    expect(readdirSync(folder)).toEqual([name]);
  } finally {
    other.kill("SIGKILL");
    await once(other, "exit");
  }
  expect(exclusively(folder, () => "entered")).toBe("entered");
});

it("does not touch another machine's workspace", () => {
  leave(".synth-1@elsewhere");
  expect(() => exclusively(folder, () => expect.unreachable(), 0)).toThrow("process 1 on elsewhere has been writing");
  expect(readdirSync(folder)).toEqual([".synth-1@elsewhere"]);
});

it(
  "does not touch the workspace of a container with the same host name",
  { skip: process.platform !== "linux" },
  () => {
    const [name] = exclusively(folder, () => readdirSync(folder));
    const elsewhere = name?.replace(/pid%3A%5B\d+/, "pid%3A%5B1") ?? "";
    expect(elsewhere).not.toBe(name);
    leave(elsewhere);
    expect(() => exclusively(folder, () => expect.unreachable(), 0)).toThrow("has been writing");
  },
);
