import { spawn } from "node:child_process";
import type { LoadReport } from "./report";
import { bundle } from "../bundle";

export interface LoadOptions {
  readonly server: string;
  readonly names: readonly string[];
  readonly type?: string;
  readonly protocol?: "udp" | "tcp";
  /** Queries a second, each from a new socket. Default: 500. */
  readonly rate?: number;
}

/** Queries that go on, while the test does something to the servers. */
export interface Load {
  stop(): Promise<LoadReport>;
}

interface Runner {
  command(argv: readonly string[]): string[];
}

/** Starts to ask from a pod, or from a node for what a process of the host meets. */
export function startLoad(
  from: Runner,
  { server, names, type = "A", protocol = "udp", rate = 500 }: LoadOptions,
): Load {
  const program = bundle("rig/load/dns-load.ts");
  const asked = names.flatMap((name) => ["--name", name]);
  const argv = [
    process.execPath,
    program,
    "--server",
    server,
    ...asked,
    "--type",
    type,
    "--protocol",
    protocol,
    "--rate",
    String(rate),
    // that of glibc's resolver: what is lost is what a program would have waited for in vain
    "--timeout-ms",
    "5000",
    "--until-stopped",
  ];
  // its input ends when this process stops it, or dies: a signal would not pass the namespaces
  const [command = "", ...args] = from.command(argv);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => stdout.push(data));
  child.stderr.on("data", (data: Buffer) => stderr.push(data));
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return {
    async stop() {
      child.stdin.end();
      await ended;
      const printed = Buffer.concat(stdout).toString();
      if (printed === "") throw new Error(`the load generator printed nothing: ${Buffer.concat(stderr).toString()}`);
      return JSON.parse(printed) as LoadReport;
    },
  };
}

/** What a test prints of a report: without the answers, and of the windows the three longest. */
export function figures(report: LoadReport): object {
  const { sent, lost, lostOfNewFlows, skipped, failures, windows, latencyMs, seconds } = report;
  const longest = windows.toSorted((one, other) => other.lengthMs - one.lengthMs).slice(0, 3);
  return { sent, lost, lostOfNewFlows, longest, skipped, failures, latencyMs, seconds };
}
