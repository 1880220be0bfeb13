import { spawn } from "node:child_process";
import { bundle } from "../bundle";

/** A pod, a node, a namespace. */
export interface Place {
  /** The command as this process can run it. */
  command(argv: readonly string[]): string[];
}

/** A program that prints a line when it has begun, and its result as JSON when it ends. */
export interface Program<Result> {
  readonly begun: Promise<void>;
  readonly result: Promise<Result>;
  stop(): void;
}

const files = new Map<string, string>();

/** Starts a program of this folder somewhere; it ends when its standard input does. */
export function startProgram<Result>(from: Place, source: string, programArgs: readonly string[]): Program<Result> {
  const file = files.get(source) ?? bundle(source);
  files.set(source, file);
  const [command = "", ...args] = from.command([process.execPath, file, ...programArgs]);
  // its input ends when this process stops it, or dies: a signal would not pass the namespaces
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdin.on("error", () => undefined); // it may have ended by itself
  child.stderr.on("data", (data: Buffer) => stderr.push(data));
  const result = new Promise<Result>((resolve, reject) => {
    child.on("error", reject);
    child.stdout.on("data", (data: Buffer) => stdout.push(data));
    child.on("close", (code) => {
      const [, printed = ""] = Buffer.concat(stdout).toString().split("\n");
      if (code === 0) resolve(JSON.parse(printed) as Result);
      else reject(new Error(`${source} failed: ${Buffer.concat(stderr).toString()}`));
    });
  });
  result.catch(() => undefined); // whoever waits for the beginning hears of it too
  const firstLine = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  return {
    begun: Promise.race([firstLine, result.then(() => undefined)]),
    result,
    stop: () => void child.stdin.end(),
  };
}
