import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { enter, leave as leaveWorkspace } from "../../src/output/workspace";
import { emptyFolder } from "../temporary-folder";
import { replaceInFs } from "./replace-in-fs";

const folder = emptyFolder("workspace");

/** Enters, looks, and leaves. */
function within<Result>(look: (workspace: string) => Result, patience?: number): Result {
  const workspace = enter(folder, patience);
  const seen = look(workspace.path);
  leaveWorkspace(workspace);
  return seen;
}

/** The end of the names that workspaces have here. */
const host = () => within((workspace) => workspace.slice(workspace.lastIndexOf("-") + 1));

const whole = "# process 1 on elsewhere has been writing here since 2026-01-01T00:00:00.000Z\n*\n";

/** A workspace of another process. */
function leave(name: string, ignore = whole): void {
  mkdirSync(join(folder, name, "prod"), { recursive: true });
  writeFileSync(join(folder, name, "prod/a.yaml"), "");
  writeFileSync(join(folder, name, ".gitignore"), ignore);
}

it("is a folder that Git ignores, until it is left", () => {
  const ignored = within((workspace) => readFileSync(join(workspace, ".gitignore"), "utf8"));
  expect(ignored).toMatch(/^# process \d+ on .+\n\*\n$/);
  expect(readdirSync(folder)).toEqual([]);
});

it("removes what killed processes left, even one with our pid, and nothing else", () => {
  const { pid: dead } = spawnSync(process.execPath, ["-e", "0"]);
  for (const name of [`.synth-${dead}-${host()}`, `.synth-${process.pid}-${host()}`, ".synth-mine", "prod"])
    leave(name);
  within((workspace) => expect(readdirSync(workspace)).toEqual([".gitignore"]));
  expect(readdirSync(folder).sort()).toEqual([".synth-mine", "prod"]);
});

it("waits for a working process, and names it in the end", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  try {
    const name = `.synth-${other.pid}-${host()}`;
    leave(name);
    const start = Date.now();
    expect(() => enter(folder, 200)).toThrow(
      `${folder}: process 1 on elsewhere has been writing here since 2026-01-01T00:00:00.000Z; run again when it has finished, or, if it was killed, delete ${folder}/${name}`,
    );
    expect(Date.now() - start).toBeGreaterThan(190);
    expect(readdirSync(folder)).toEqual([name]);
  } finally {
    other.kill("SIGKILL");
    await once(other, "exit");
  }
  expect(within(() => "entered")).toBe("entered");
});

it("does not touch the workspace of another machine, or of a container with the same host name", () => {
  leave(".synth-1-01234567");
  expect(() => enter(folder, 0)).toThrow("process 1 on elsewhere has been writing");
  expect(readdirSync(folder)).toEqual([".synth-1-01234567"]);
});

it.each([
  ["a full disk left empty, and Git brought here", ".synth-1-01234567", ""],
  ["a full disk left in part", ".synth-1-01234567", whole.slice(0, 20)],
  ["an earlier version left", ".synth-99@%E0%A4%A", whole],
])("does not wait for what %s", (_, name, ignore) => {
  leave(name, ignore);
  expect(within(() => "entered", 0)).toBe("entered");
  expect(readdirSync(folder)).toEqual([name]);
});

it("leaves nothing if it cannot make a workspace", () => {
  const { writeFileSync: write } = fs;
  replaceInFs("writeFileSync", ((path: string) => {
    write(path, "");
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  }) as typeof write);
  expect(() => enter(folder)).toThrow("ENOSPC");
  expect(readdirSync(folder)).toEqual([]);
});
