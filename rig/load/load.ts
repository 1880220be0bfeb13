import { startProgram, type Place } from "./program";
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

/** Sends queries to a DNS server from somewhere while a function runs, which starts after the first answer. */
export async function load(
  from: Place,
  options: LoadOptions,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<LoadReport> {
  const program = startProgram<Asked>(from, "rig/load/dns-load.ts", argsOf(options));
  try {
    await program.begun;
    await meanwhile();
    if (options.seconds === undefined) program.stop();
    return summarize(await program.result);
  } finally {
    program.stop();
  }
}

function argsOf(options: LoadOptions): string[] {
  const { server, names, protocol = "udp", rate = 500, sourcePort, timeoutMs = 5000, seconds } = options;
  return [
    `--server=${server}`,
    ...names.map((name) => `--name=${name}`),
    `--protocol=${protocol}`,
    `--rate=${rate}`,
    `--timeout-ms=${timeoutMs}`,
    ...(sourcePort === undefined ? [] : [`--source-port=${sourcePort}`]),
    ...(seconds === undefined ? [] : [`--seconds=${seconds}`]),
  ];
}
