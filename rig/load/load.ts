import { spawn } from "node:child_process";
import { bundle } from "../bundle";
import { summarize, type Asked, type LoadReport } from "./report";

export interface LoadOptions {
  readonly server: string;
  /** Asked in turn; `%` becomes the query's number, so that no cache knows the answer. */
  readonly names: readonly string[];
  readonly protocol?: "udp" | "tcp";
  /** Queries per second. Default: 500. */
  readonly rate?: number;
  /** Source port of all queries. Default: a new socket for each. */
  readonly sourcePort?: number;
  /** Default: glibc's 5000, so that a lost query is one a program would wait for in vain. */
  readonly timeoutMs?: number;
  /** Default: until the function ends. */
  readonly seconds?: number;
}

/** A pod, a node, a namespace. */
interface Place {
  /** The command as this process can run it. */
  command(argv: readonly string[]): string[];
}

/** Sends queries to a DNS server from somewhere while a function runs, which starts after the first answer. */
export async function load(
  from: Place,
  options: LoadOptions,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<LoadReport> {
  const program = start(from, options);
  try {
    await program.begun;
    await meanwhile();
    if (options.seconds === undefined) program.stop();
    return summarize(await program.asked);
  } finally {
    program.stop();
  }
}

interface Program {
  readonly begun: Promise<void>;
  readonly asked: Promise<Asked>;
  stop(): void;
}

let programFile: string | undefined;

function start(from: Place, options: LoadOptions): Program {
  const { server, names, protocol = "udp", rate = 500, sourcePort, timeoutMs = 5000, seconds } = options;
  programFile ??= bundle("rig/load/dns-load.ts");
  const [command = "", ...args] = from.command([
    process.execPath,
    programFile,
    `--server=${server}`,
    ...names.map((name) => `--name=${name}`),
    `--protocol=${protocol}`,
    `--rate=${rate}`,
    `--timeout-ms=${timeoutMs}`,
    ...(sourcePort === undefined ? [] : [`--source-port=${sourcePort}`]),
    ...(seconds === undefined ? [] : [`--seconds=${seconds}`]),
  ]);
  // its input ends when this process stops it, or dies: a signal would not cross the namespaces
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdin.on("error", () => undefined); // it may have ended on its own
  child.stderr.on("data", (data: Buffer) => stderr.push(data));
  const asked = new Promise<Asked>((resolve, reject) => {
    child.on("error", reject);
    child.stdout.on("data", (data: Buffer) => stdout.push(data));
    child.on("close", (code) => {
      const [, result = ""] = Buffer.concat(stdout).toString().split("\n");
      if (code === 0) resolve(JSON.parse(result) as Asked);
      else reject(new Error(`the load generator failed: ${Buffer.concat(stderr).toString()}`));
    });
  });
  asked.catch(() => undefined); // whoever waits for the first line gets the error too
  const firstLine = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  return {
    begun: Promise.race([firstLine, asked.then(() => undefined)]),
    asked,
    stop: () => void child.stdin.end(),
  };
}
