import { startProgram, type Place } from "./program";

/** What became of a client that asks over TCP, on one connection for as long as that lasts. */
export interface SessionReport {
  readonly answered: number;
  /** Why each connection that had been established ended. */
  readonly broken: readonly string[];
  /** The longest time between two answers. */
  readonly longestMs: number;
}

/** Asks over an open TCP connection, and does something once the first answer has come; gives that as well. */
export async function session<T>(
  from: Place,
  /** `timeoutMs`: when a client gives up on an answer, and connects anew. */
  { server, name, timeoutMs }: { readonly server: string; readonly name: string; readonly timeoutMs: number },
  meanwhile: () => Promise<T>,
): Promise<SessionReport & { readonly meanwhile: T }> {
  const program = startProgram<SessionReport>(from, "rig/load/tcp-session.ts", [
    `--server=${server}`,
    `--name=${name}`,
    `--timeout-ms=${timeoutMs}`,
  ]);
  try {
    await program.begun;
    const done = await meanwhile();
    program.stop();
    return { ...(await program.result), meanwhile: done };
  } finally {
    program.stop();
  }
}
