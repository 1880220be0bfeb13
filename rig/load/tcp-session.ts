import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { streamEncode } from "dns-packet";
import type { SessionReport } from "./session";

const intervalMs = 10;

/**
 * Asks a DNS server again and again over one TCP connection, and connects anew when it breaks, until its standard input ends. It prints a
 * line with the first answer, and at the end what became of its connections, as JSON.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { server: { type: "string" }, name: { type: "string" }, "timeout-ms": { type: "string" } },
  });
  const { server = "", name = "" } = values;
  const timeoutMs = Number(values["timeout-ms"]);
  const broken: string[] = [];
  const report = { answered: 0, longestMs: 0 };
  let stopped = false;
  let socket: Socket | undefined;
  let lastAt = performance.now();
  process.stdin.resume().once("end", () => (stopped = true));
  while (!stopped) {
    try {
      socket ??= await open(server, timeoutMs);
      await ask(socket, `q${report.answered}.${name}`, timeoutMs);
      if (report.answered++ === 0) process.stdout.write("begun\n");
      else report.longestMs = Math.max(report.longestMs, Math.round(performance.now() - lastAt));
      lastAt = performance.now();
    } catch (error) {
      // What did not come about is not broken: the time until the next answer tells of it.
      if (socket !== undefined) broken.push((error as Error).message);
      socket?.destroy();
      socket = undefined;
    }
    await sleep(intervalMs);
  }
  socket?.destroy();
  process.stdin.destroy();
  process.stdout.write(`${JSON.stringify({ ...report, broken } satisfies SessionReport)}\n`);
}

async function open(server: string, timeoutMs: number): Promise<Socket> {
  const socket = connect({ host: server, port: 53, noDelay: true });
  // The server may break it between two questions; the next one finds out.
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeoutMs) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function ask(socket: Socket, name: string, timeoutMs: number): Promise<void> {
  if (socket.destroyed) throw socket.errored ?? new Error("closed");
  socket.write(streamEncode({ type: "query", id: 1, flags: 0x100, questions: [{ name, type: "A" }] }));
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    await Promise.race([
      once(socket, "data", { signal }),
      once(socket, "close", { signal }).then(() => Promise.reject(new Error("closed"))),
    ]);
  } finally {
    ended.abort();
  }
}

void main();
