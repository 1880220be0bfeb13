import dgram from "node:dgram";
import net from "node:net";
import { decode, encode } from "dns-packet";
import { familyOf } from "../../model/syntax/addresses";
import type { Protocol } from "../../model/packet-rules/listener";

export interface Question {
  readonly name: string;
  readonly type: "A" | "AAAA" | "TXT";
  readonly server: string;
  readonly protocol: Protocol;
  /** Address to ask from; the kernel's choice unless given. */
  readonly source?: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Called once if there is no answer by then. */
  readonly late?: { readonly after: number; readonly call: () => void };
}

export type Outcome =
  /** The data of the answer's records as text; empty where it has none. */
  | { readonly kind: "answer"; readonly code: string; readonly data: readonly string[] }
  | { readonly kind: "missed" | "refused" }
  /** Says nothing about who was asked: we could not send, or were asleep ourselves. */
  | { readonly kind: "unmeasured"; readonly why: string };

/** One question on a socket of its own: of several caches that share a port the kernel picks one for each socket. */
export function ask(question: Question): Promise<Outcome> {
  return new Promise((resolve) => {
    const started = performance.now();
    let close: () => void = () => undefined;
    let done = false;
    const late = question.late;
    const lateTimer = late && setTimeout(() => !done && late.call(), late.after);
    const timer = setTimeout(() => {
      // Timers run before sockets are read: an answer that came while we were not scheduled lies there still.
      setImmediate(() => setImmediate(() => finish(timeoutOutcome(performance.now() - started, question.timeout))));
    }, question.timeout);
    function finish(outcome: Outcome) {
      if (done) return;
      done = true;
      clearTimeout(timer);
      clearTimeout(lateTimer);
      close();
      resolve(outcome);
    }
    close = (question.protocol === "udp" ? askUdp : askTcp)(question, finish);
  });
}

type Finish = (outcome: Outcome) => void;

// Woken so late, the whole machine may have stood still, and the one we asked with it.
function timeoutOutcome(took: number, timeout: number): Outcome {
  return took > 2 * timeout ? { kind: "unmeasured", why: "the watchdog itself woke up late" } : { kind: "missed" };
}

function askUdp({ name, type, server, source }: Question, finish: Finish): () => void {
  const { id, bytes } = query(name, type);
  const socket = dgram.createSocket(familyOf(server) === "IPv6" ? "udp6" : "udp4");
  socket.on("error", (error) => finish(failure(error)));
  socket.on("message", (message) => {
    const outcome = read(message, id);
    if (outcome) finish(outcome);
  });
  let open = true;
  socket.on("connect", () => {
    if (open) socket.send(bytes, (error) => error && finish(failure(error)));
  });
  const connect = () => {
    if (open) socket.connect(53, server);
  };
  if (source === undefined) connect();
  else socket.bind({ address: source, exclusive: true }, connect);
  return () => {
    open = false;
    socket.close();
  };
}

function askTcp({ name, type, server, source }: Question, finish: Finish): () => void {
  const { id, bytes } = query(name, type);
  const socket = net.connect({
    host: server,
    port: 53,
    noDelay: true,
    ...(source === undefined ? {} : { localAddress: source }),
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  let received = Buffer.alloc(0);
  socket.on("error", (error) => finish(failure(error)));
  socket.on("close", () => finish({ kind: "missed" }));
  socket.on("connect", () => socket.write(Buffer.concat([length, bytes])));
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    finish(read(received.subarray(2), id) ?? { kind: "missed" });
  });
  return () => socket.destroy();
}

function query(name: string, type: Question["type"]): { id: number; bytes: Buffer } {
  const id = Math.floor(Math.random() * 65_536);
  return {
    id,
    bytes: encode({ type: "query", id, flags: 0x0100, questions: [{ type, name: name.replace(/\.$/, "") }] }),
  };
}

// Undefined: not the answer to this question.
function read(message: Buffer, id: number): Outcome | undefined {
  try {
    const packet = decode(message);
    if (packet.id !== id || packet.type !== "response") return undefined;
    const { rcode = "" } = packet as { rcode?: string };
    return {
      kind: "answer",
      code: rcode,
      data: (packet.answers ?? []).flatMap((answer) => ("data" in answer ? texts(answer.data) : [])),
    };
  } catch {
    return { kind: "missed" };
  }
}

function texts(data: unknown): string[] {
  return (Array.isArray(data) ? data : [data]).map((text: unknown) => String(text));
}

function failure(error: NodeJS.ErrnoException): Outcome {
  if (error.code === "ECONNREFUSED") return { kind: "refused" };
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return { kind: "missed" };
  return { kind: "unmeasured", why: error.message };
}
