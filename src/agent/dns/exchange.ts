import { randomInt } from "node:crypto";
import dgram from "node:dgram";
import net from "node:net";
import * as dns from "dns-packet";
import type { Protocol } from "../../model/packet-rules/listener";
import { familyOf, type Server } from "../../model/syntax/addresses";
import { errorCode } from "../errors";
import { type Reply, replyTo } from "./reply-to";

export interface Query {
  readonly name: string;
  readonly type: dns.RecordType;
  readonly server: Server;
  readonly protocol: Protocol;
  /** Source address; chosen by the kernel by default. */
  readonly source?: string;
  readonly timeoutMs: number;
  /** Called once if no answer has arrived by then. */
  readonly late?: { readonly afterMs: number; readonly call: () => void };
  /** Largest reply to accept over UDP, announced through EDNS; without it, 512 bytes and no EDNS. */
  readonly udpPayloadSize?: number;
}

/** What a packet can hold unfragmented, in bytes (DNS Flag Day 2020). */
export const unfragmented = 1232;

export type Outcome =
  | { readonly kind: "answer"; readonly reply: Reply }
  /** `isRejected`: by a rule or a route of this node. `truncated`: the answer is too large for UDP. */
  | { readonly kind: "missed" | "refused" | "truncated"; readonly why: string }
  /** Says nothing about the server: we could not send, or were not scheduled ourselves. */
  | { readonly kind: "unmeasured"; readonly why: string; readonly isRejected?: boolean };

/** Sends a query from a socket of its own: if several servers share a port, the kernel picks one per socket. */
export function exchange(query: Query): Promise<Outcome> {
  return new Promise((resolve) => {
    const { protocol, timeoutMs, late } = query;
    const startedAt = performance.now();
    let finished = false;
    const close = (protocol === "udp" ? overUdp : overTcp)(query, packetOf(query), finish);
    const lateTimer = late && setTimeout(late.call, late.afterMs);
    const timer = setTimeout(() => {
      // Timers run before sockets are read: an answer that arrived while we were not scheduled is still unread.
      setImmediate(() => setImmediate(() => finish(timedOut(performance.now() - startedAt, timeoutMs))));
    }, timeoutMs);

    function finish(outcome: Outcome): void {
      if (finished) return;
      finished = true;
      clearTimeout(lateTimer);
      clearTimeout(timer);
      close();
      resolve(outcome);
    }
  });
}

type Finish = (outcome: Outcome) => void;

function overUdp({ server, source }: Query, packet: dns.Packet, finish: Finish): () => void {
  const bytes = dns.encode(packet);
  const socket = dgram.createSocket(familyOf(server.address) === "IPv6" ? "udp6" : "udp4");
  let open = true;
  socket.on("error", (error) => finish(failed(error)));
  socket.on("message", (message) => {
    const reply = replyTo(packet, message);
    // Anything else may still be followed by the reply.
    if (reply) finish(reply.flag_tc ? { kind: "truncated", why: "truncated" } : { kind: "answer", reply });
  });
  socket.on("connect", () => {
    if (open) socket.send(bytes, (error) => error && finish(failed(error)));
  });
  // On a connected socket the kernel drops packets from elsewhere, and reports if nothing listens.
  const connect = () => {
    if (open) socket.connect(server.port ?? 53, server.address);
  };
  if (source === undefined) connect();
  else socket.bind({ address: source, exclusive: true }, connect);
  return () => {
    open = false;
    socket.close();
  };
}

function overTcp({ server, source }: Query, packet: dns.Packet, finish: Finish): () => void {
  const bytes = dns.streamEncode(packet);
  const socket = net.connect({ host: server.address, port: server.port ?? 53, localAddress: source, noDelay: true });
  let received = Buffer.alloc(0);
  socket.on("error", (error) => finish(failed(error)));
  socket.on("close", () => finish({ kind: "missed", why: "closed before an answer arrived" }));
  socket.on("data", (data) => {
    received = Buffer.concat([received, data]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE()) return;
    const reply = replyTo(packet, received.subarray(2, 2 + received.readUInt16BE()));
    if (reply) finish({ kind: "answer", reply });
    else finish({ kind: "missed", why: "an answer that is not DNS, or to another question" });
  });
  socket.write(bytes);
  return () => socket.destroy();
}

const edns = { type: "OPT", name: ".", extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false } as const;

function packetOf({ name, type, udpPayloadSize }: Query): dns.Packet {
  return {
    type: "query",
    id: randomInt(0x10000),
    flags: dns.RECURSION_DESIRED,
    questions: [{ type, name }],
    additionals: udpPayloadSize === undefined ? [] : [{ ...edns, udpPayloadSize, options: [] }],
  };
}

// If we wake up that late, the whole machine may have stood still, the server included.
function timedOut(tookMs: number, timeoutMs: number): Outcome {
  return tookMs > 2 * timeoutMs
    ? { kind: "unmeasured", why: "this program woke up late" }
    : { kind: "missed", why: `no answer within ${timeoutMs} ms` };
}

function failed(error: Error): Outcome {
  const code = errorCode(error);
  const why = error.message;
  if (code === "ECONNREFUSED") return { kind: "refused", why };
  if (code === "ECONNRESET" || code === "EPIPE") return { kind: "missed", why };
  return { kind: "unmeasured", why, isRejected: rejections.has(code) };
}

/** A rule, a prohibiting route, a blackhole, a route that says unreachable, no route: in this order. */
const rejections: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "EACCES",
  "EINVAL",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
