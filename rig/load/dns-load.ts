import { createSocket, type Socket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { parseArgs } from "node:util";
import { decode, encode } from "dns-packet";
import type { Asked, Query } from "./report";

/**
 * Sends queries to a DNS server at a given rate, each from a new socket (a new source port, so that nothing on the way
 * takes it for a known flow), for some seconds or until standard input ends. Prints a line when the first query is
 * answered and, at the end, the outcome of all queries as JSON. `%` in a name becomes the query's number, so that no
 * cache knows the answer; `--source-port` sends all UDP queries from one port instead.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: "string" },
      name: { type: "string", multiple: true },
      protocol: { type: "string", default: "udp" },
      rate: { type: "string", default: "500" },
      seconds: { type: "string", default: "Infinity" },
      "timeout-ms": { type: "string", default: "5000" },
      "source-port": { type: "string" },
    },
  });
  const { server, name: names = [] } = values;
  if (server === undefined || names.length === 0)
    throw new Error(
      "usage: dns-load --server ADDRESS --name NAME [--name NAME] [--protocol udp|tcp] [--rate 500] [--seconds 10] [--timeout-ms 5000] [--source-port PORT]",
    );
  const sourcePort = values["source-port"];
  const ask =
    values.protocol === "tcp" ? askOverTcp : sourcePort === undefined ? askOverUdp : fromOnePort(Number(sourcePort));
  const timeoutMs = Number(values["timeout-ms"]);
  const asked = await load(Number(values.rate), Number(values.seconds), (number) => {
    const question = encode({
      type: "query",
      id: number & 0xffff,
      flags: 0x100,
      questions: [{ name: (names[number % names.length] ?? "").replace("%", `q${number}`), type: "A" }],
    });
    return ask(server, question, timeoutMs);
  });
  process.stdout.write(`${JSON.stringify(asked)}\n`);
}

type Ask = (server: string, question: Buffer, timeoutMs: number) => Promise<Answer>;
type Answer = Pick<Query, "answer" | "failure" | "port">;

/** When the event loop was late, this many milliseconds of queries are sent at once; older ones are skipped. */
const catchUpMs = 10;

/**
 * Starts queries at an even rate and waits for the last. A late generator catches up a little and skips the rest: a
 * burst would overflow the server's socket, or wait in one that closes, and its loss would say more about this machine
 * than about the server.
 */
function load(rate: number, seconds: number, ask: (number: number) => Promise<Answer>): Promise<Asked> {
  const queries: Query[] = [];
  const pending: Promise<void>[] = [];
  const atOnce = Math.ceil((rate * catchUpMs) / 1000);
  let skipped = 0;
  let stopped = false;
  process.stdin.resume().once("end", () => (stopped = true));
  const startedAt = Date.now();
  const start = performance.now();
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - start;
      const over = stopped || elapsed >= seconds * 1000;
      const due = Math.floor((Math.min(elapsed, seconds * 1000) / 1000) * rate);
      skipped += Math.max(0, due - skipped - pending.length - atOnce);
      while (pending.length + skipped < due) pending.push(one(pending.length));
      if (!over) return;
      clearInterval(timer);
      process.stdin.destroy();
      void Promise.all(pending).then(() => resolve({ startedAt, queries, skipped }));
    }, 2);
  });

  async function one(number: number): Promise<void> {
    const sentAt = performance.now();
    const answer = await ask(number);
    if (number === 0) process.stdout.write("begun\n");
    queries[number] = { sentMs: sentAt - start, tookMs: performance.now() - sentAt, ...answer };
  }
}

/**
 * A timeout that ignores answers that have already arrived: a process that did not run for long finds its timers due
 * before it reads its sockets.
 */
function afterTimeout(timeoutMs: number, then: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(then), timeoutMs);
}

function askOverUdp(server: string, question: Buffer, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(server) ? "udp6" : "udp4");
    let ended = false;
    let port: number | undefined;
    const timer = afterTimeout(timeoutMs, () => end({ failure: "timeout" }));
    socket.on("message", (message) => end(read(message)));
    socket.on("error", (error) => end({ failure: error.message }));
    // connected, so that the kernel reports ICMP errors
    socket.connect(53, server, () => {
      ({ port } = socket.address());
      socket.send(question, (error) => (error ? end({ failure: error.message }) : undefined));
    });

    function end(answer: Answer): void {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      socket.removeAllListeners("message");
      socket.close();
      resolve({ ...answer, port });
    }
  });
}

/** One socket for all queries: to conntrack, a single flow. */
function fromOnePort(port: number): Ask {
  const waiting = new Map<number, (answer: Answer) => void>();
  let socket: Promise<Socket> | undefined;
  async function open(server: string): Promise<Socket> {
    const opened = createSocket(isIPv6(server) ? "udp6" : "udp4");
    opened.on("message", (message) => waiting.get(message.readUInt16BE(0))?.(read(message)));
    // An error does not say which query it concerns: that one times out.
    opened.on("error", () => undefined);
    opened.unref();
    await new Promise<void>((resolve) => opened.bind(port, () => opened.connect(53, server, resolve)));
    return opened;
  }
  return async (server, question, timeoutMs) => {
    const own = await (socket ??= open(server));
    return new Promise((resolve) => {
      const id = question.readUInt16BE(0);
      const timer = afterTimeout(timeoutMs, () => end({ failure: "timeout" }));
      waiting.set(id, end);
      own.send(question, () => undefined);

      function end(answer: Answer): void {
        clearTimeout(timer);
        waiting.delete(id);
        resolve({ ...answer, port });
      }
    });
  };
}

function askOverTcp(server: string, question: Buffer, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect(53, server);
    const timer = afterTimeout(timeoutMs, () => end({ failure: "timeout" }));
    socket.on("error", (error) => end({ failure: error.message }));
    socket.on("close", () => end({ failure: "closed without an answer" }));
    socket.on("data", (data) => {
      received.push(data);
      const message = Buffer.concat(received);
      if (message.length > 2 && message.length >= message.readUInt16BE(0) + 2) end(read(message.subarray(2)));
    });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(question.length);
    socket.write(Buffer.concat([length, question]));

    function end(answer: Answer): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    }
  });
}

/** The answer in words: its data if any, so that servers with different data can be told apart; else the code. */
function read(message: Buffer): Answer {
  const { answers = [], flags = 0 } = decode(message);
  const code = flags & 0xf;
  if (code === 3) return { answer: "NXDOMAIN" };
  if (code !== 0) return { failure: code === 2 ? "SERVFAIL" : `response code ${code}` };
  const data = answers.map((answer) => ("data" in answer ? plain(answer.data) : ""));
  return { answer: data.sort().join(",") || "no data" };
}

function plain(data: unknown): string {
  if (Buffer.isBuffer(data)) return data.toString();
  if (Array.isArray(data)) return data.map(plain).join(" ");
  return typeof data === "string" ? data : JSON.stringify(data);
}

void main();
