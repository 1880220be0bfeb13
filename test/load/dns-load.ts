/**
 * A load generator for DNS: queries at a steady rate, each from a fresh socket, over UDP or TCP. Prints one line of JSON when done.
 *
 *     dns-load --server 10.96.0.10 --name '%.load.test' [--type A] [--tcp] [--rate 500] [--seconds 7] [--timeout 1000] [--source-port 5353]
 *
 * `%` in the name becomes the number of the query, so that no cache can answer. It has no imports of this project: bundled with esbuild it
 * runs in any network namespace or pod that has Node. Sockets are connected: an answer from another address than the one asked is not seen.
 */
import dgram from "node:dgram";
import net from "node:net";
import { parseArgs } from "node:util";
import packet from "dns-packet";

export interface LoadOptions {
  readonly server: string;
  readonly name: string;
  readonly type?: "A" | "AAAA" | "TXT";
  readonly tcp?: boolean;
  /** Queries a second. */
  readonly rate?: number;
  readonly seconds?: number;
  /** Milliseconds until a query counts as lost; resolvers wait 5 s, but a client has noticed long before. */
  readonly timeout?: number;
  /** Every query from this one port. */
  readonly sourcePort?: number;
}

export interface LoadResult {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly sent: number;
  readonly answered: number;
  readonly lost: number;
  /** What the answers said: the first record's data, or the response code where there is none. */
  readonly answers: { readonly [said: string]: number };
  /** Why queries were lost: `timeout`, or a socket's error code. */
  readonly losses: { readonly [why: string]: number };
  /** From the first lost query to after the last. */
  readonly windowMs: number;
  /** Of each query in order: milliseconds after the start, and what it was answered, or undefined. */
  readonly timeline: readonly (readonly [at: number, said: string | undefined])[];
}

export async function dnsLoad(options: LoadOptions): Promise<LoadResult> {
  const { rate = 500, seconds = 7, timeout = 1000 } = options;
  const total = Math.round(rate * seconds);
  const startedAt = Date.now();
  const start = performance.now();
  const ask = options.tcp ? askTcp : options.sourcePort === undefined ? askUdp : askFromOnePort(options);
  const queries: Promise<Outcome>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1000));
      while (queries.length < due) {
        const at = performance.now() - start;
        queries.push(ask(options, queries.length, timeout).then((outcome) => ({ at, ...outcome })));
      }
      if (queries.length === total) {
        clearInterval(timer);
        resolve();
      }
    }, 1);
  });
  return summary(startedAt, await Promise.all(queries), 1000 / rate);
}

type Reply = { readonly said: string } | { readonly why: string };
type Outcome = Reply & { readonly at: number };
type Ask = (options: LoadOptions, index: number, timeout: number) => Promise<Reply>;

function summary(startedAt: number, outcomes: readonly Outcome[], interval: number): LoadResult {
  const lost = outcomes.filter((outcome) => "why" in outcome);
  return {
    startedAt,
    sent: outcomes.length,
    answered: outcomes.length - lost.length,
    lost: lost.length,
    answers: count(outcomes.flatMap((o) => ("said" in o ? [o.said] : []))),
    losses: count(outcomes.flatMap((o) => ("why" in o ? [o.why] : []))),
    windowMs: lost.length === 0 ? 0 : round((lost.at(-1)?.at ?? 0) - (lost[0]?.at ?? 0) + interval),
    timeline: outcomes.map((o) => [round(o.at), "said" in o ? o.said : undefined]),
  };
}

function count(words: readonly string[]): { [word: string]: number } {
  const counts: { [word: string]: number } = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function query({ name, type = "A" }: LoadOptions, index: number): { id: number; bytes: Buffer } {
  const id = index % 65_536;
  const question = { type, name: name.replace("%", `q${index}`) } as const;
  return { id, bytes: packet.encode({ type: "query", id, flags: packet.RECURSION_DESIRED, questions: [question] }) };
}

function read(bytes: Buffer): { id: number | undefined; said: string } {
  const answer = packet.decode(bytes);
  // A field of the decoded flags that the types leave out.
  const { rcode } = answer as { rcode?: string };
  const [record] = answer.answers ?? [];
  const data = record && "data" in record ? record.data : undefined;
  return { id: answer.id, said: data === undefined ? (rcode ?? "unknown") : Array.isArray(data) ? data.map(String).join(" ") : String(data) };
}

function family(server: string): "udp4" | "udp6" {
  return net.isIPv6(server) ? "udp6" : "udp4";
}

function askUdp(options: LoadOptions, index: number, timeout: number): Promise<Reply> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket(family(options.server));
    const timer = setTimeout(() => finish({ why: "timeout" }), timeout);
    let finished = false;
    function finish(reply: Reply) {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      socket.close();
      resolve(reply);
    }
    const { id, bytes } = query(options, index);
    socket.on("error", (error: NodeJS.ErrnoException) => finish({ why: error.code ?? error.message }));
    socket.on("message", (message) => {
      const reply = read(message);
      if (reply.id === id) finish(reply);
    });
    socket.connect(53, options.server, () => {
      if (!finished) socket.send(bytes, (error) => error && finish({ why: (error as NodeJS.ErrnoException).code ?? error.message }));
    });
  });
}

// One socket for all: a flow as conntrack sees it, which lasts as long as the load.
function askFromOnePort({ server, sourcePort }: LoadOptions): Ask {
  const socket = dgram.createSocket(family(server));
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.on("error", () => undefined);
  socket.on("message", (message) => {
    const { id, said } = read(message);
    if (id !== undefined) waiting.get(id)?.({ said });
  });
  const ready = new Promise<void>((resolve) => socket.bind(sourcePort, () => socket.connect(53, server, resolve)));
  socket.unref();
  return async (options, index, timeout) => {
    await ready;
    const { id, bytes } = query(options, index);
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish({ why: "timeout" }), timeout);
      function finish(reply: Reply) {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(reply);
      }
      waiting.set(id, finish);
      // Refusals come back to the one socket without saying for which query: those time out.
      socket.send(bytes, () => undefined);
    });
  };
}

function askTcp(options: LoadOptions, index: number, timeout: number): Promise<Reply> {
  return new Promise((resolve) => {
    const socket = net.connect(53, options.server);
    const timer = setTimeout(() => finish({ why: "timeout" }), timeout);
    function finish(reply: Reply) {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    }
    const { bytes } = query(options, index);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    let received = Buffer.alloc(0);
    socket.on("error", (error: NodeJS.ErrnoException) => finish({ why: error.code ?? error.message }));
    socket.on("close", () => finish({ why: "closed" }));
    socket.on("connect", () => socket.write(Buffer.concat([length, bytes])));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > 2 && received.length >= 2 + received.readUInt16BE(0)) finish({ said: read(received.subarray(2)).said });
    });
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: "string" },
      name: { type: "string", default: "%.load.test" },
      type: { type: "string", default: "A" },
      tcp: { type: "boolean", default: false },
      rate: { type: "string", default: "500" },
      seconds: { type: "string", default: "7" },
      timeout: { type: "string", default: "1000" },
      "source-port": { type: "string" },
    },
  });
  if (values.server === undefined) throw new Error("dns-load: --server is missing; give the address to ask");
  const result = await dnsLoad({
    server: values.server,
    name: values.name,
    type: values.type as "A" | "AAAA" | "TXT",
    tcp: values.tcp,
    rate: Number(values.rate),
    seconds: Number(values.seconds),
    timeout: Number(values.timeout),
    ...(values["source-port"] === undefined ? {} : { sourcePort: Number(values["source-port"]) }),
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
}
