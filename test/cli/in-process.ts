import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Run } from "./scratch";

/** Stands for the programs that the command line calls. */
type Program = (
  args: readonly string[],
  input: string,
) => { readonly status: number; readonly stdout: string; readonly stderr: string };

export interface Surroundings {
  readonly folder: string;
  /** Beside this process's. */
  readonly environment?: { readonly [name: string]: string };
  /** Instead of standard input. */
  readonly input?: string;
  /** Instead of the programs that it calls and waits for. */
  readonly program?: Program;
}

/** Runs work of the command line, and keeps what it prints. */
export function inProcess(surroundings: Surroundings, work: () => number | Promise<number>): Run {
  const { restore, printed } = enter(surroundings);
  try {
    const exitCode = work();
    if (typeof exitCode !== "number") throw new Error("a command that waits is one for `inProcessLater`");
    return { exitCode, ...printed() };
  } finally {
    restore();
  }
}

/** The same for work that waits. No other may run meanwhile. */
export async function inProcessLater(surroundings: Surroundings, work: () => number | Promise<number>): Promise<Run> {
  const { restore, printed } = enter(surroundings);
  try {
    const exitCode = await work();
    return { exitCode, ...printed() };
  } finally {
    restore();
  }
}

function enter({ folder, environment, input: given, program }: Surroundings) {
  const { writeSync, readFileSync } = fs;
  const { spawnSync } = childProcess;
  const before = { folder: process.cwd(), environment: process.env };
  const printed: Buffer[][] = [[], [], []];
  const capture = (descriptor: number, data: Buffer) => {
    printed[descriptor]?.push(Buffer.from(data));
    return data.length;
  };
  const called = (_: string, args: readonly string[], { input = "" }: { input?: string }) => program?.(args, input);
  const readInput = (file: unknown, ...rest: never[]) =>
    file === 0 && given !== undefined ? Buffer.from(given) : readFileSync(file as string, ...rest);
  replace(
    capture as typeof writeSync,
    given === undefined ? readFileSync : (readInput as typeof readFileSync),
    program ? (called as unknown as typeof spawnSync) : spawnSync,
  );
  process.chdir(folder);
  process.env = { ...process.env, ...environment };
  return {
    printed() {
      const [, stdout = "", stderr = ""] = printed.map((texts) => Buffer.concat(texts).toString());
      return { stdout, stderr };
    },
    restore() {
      process.env = before.environment;
      process.chdir(before.folder);
      replace(writeSync, readFileSync, spawnSync);
    },
  };
}

/** Also for those who import them by name. */
function replace(
  writeSync: typeof fs.writeSync,
  readFileSync: typeof fs.readFileSync,
  spawnSync: typeof childProcess.spawnSync,
): void {
  fs.writeSync = writeSync;
  fs.readFileSync = readFileSync;
  childProcess.spawnSync = spawnSync;
  syncBuiltinESMExports();
}
