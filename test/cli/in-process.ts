import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Run } from "./scratch";

/** Stands for the programs that the command line calls. */
export type Program = (
  args: readonly string[],
  input: string,
) => { readonly status: number; readonly stdout: string; readonly stderr: string };

/** Runs work of the command line in a folder, with more environment, and keeps what it prints. */
export function inProcess(
  folder: string,
  environment: { readonly [name: string]: string },
  work: () => number | Promise<number>,
  program?: Program,
): Run {
  const { writeSync } = fs;
  const { spawnSync } = childProcess;
  const before = { folder: process.cwd(), environment: process.env };
  const printed: Buffer[][] = [[], [], []];
  const capture = (descriptor: number, data: Buffer) => {
    printed[descriptor]?.push(Buffer.from(data));
    return data.length;
  };
  const called = (_: string, args: readonly string[], { input = "" }: { input?: string }) => program?.(args, input);
  replace(capture as typeof writeSync, program ? (called as unknown as typeof spawnSync) : spawnSync);
  process.chdir(folder);
  process.env = { ...process.env, ...environment };
  try {
    const exitCode = work();
    if (typeof exitCode !== "number") throw new Error("a command that waits needs a process of its own");
    const [, stdout = "", stderr = ""] = printed.map((texts) => Buffer.concat(texts).toString());
    return { exitCode, stdout, stderr };
  } finally {
    process.env = before.environment;
    process.chdir(before.folder);
    replace(writeSync, spawnSync);
  }
}

/** Also for those who import them by name. */
function replace(writeSync: typeof fs.writeSync, spawnSync: typeof childProcess.spawnSync): void {
  fs.writeSync = writeSync;
  childProcess.spawnSync = spawnSync;
  syncBuiltinESMExports();
}
