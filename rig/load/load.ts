import { startProgram, type Place } from "./program";
import { summarize, type Asked, type LoadReport } from "./report";

export interface LoadOptions {
  readonly server: string;
  /** Asked in turns; `%` becomes the query's number, so that no cache knows the answer. */
  readonly names: readonly string[];
  readonly protocol?: "udp" | "tcp";
  /** Queries a second. Default: 500. */
  readonly rate?: number;
  /** Of all queries. Default: each has a new socket. */
  readonly sourcePort?: number;
  /** Default: glibc's 5000, so that a lost query is one for which a program waits in vain. */
  readonly timeoutMs?: number;
  /** Default: until what happens meanwhile is over. */
  readonly seconds?: number;
}

/** Asks a DNS server from somewhere, and does something to the servers once the first query has its answer. */
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
