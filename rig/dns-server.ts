import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket as Connection } from "node:net";
import { type Answer, decode, encode, type Packet, type Question, streamEncode } from "dns-packet";
import { freePort } from "./free-port";

/** A name server's response to a name: addresses, records, a response code, raw bytes, or nothing at all. */
export type Reply =
  | readonly string[]
  | { records: Answer[] }
  | { rcode: number; authorities?: Answer[] }
  | { raw: Buffer }
  | "truncated"
  | "silence";

/** NXDOMAIN as caches keep it: with an SOA record (RFC 2308). */
export const notThere: Reply = {
  rcode: 3,
  authorities: [
    { type: "SOA", name: "example", ttl: 30, data: { mname: "a.example", rname: "b.example", serial: 1, minimum: 30 } },
  ],
};

/** A name server on loopback with answers set by the test. */
export class DnsServer {
  readonly asked: string[] = [];
  /** Modifies the bytes of a reply. */
  mangle: ((reply: Buffer) => Buffer) | undefined;
  /** Delay of an answer over UDP. */
  delayMs = 0;
  port = 0;
  private readonly udp: Socket = createSocket("udp4");
  private readonly tcp: Server = createServer((connection) => this.serve(connection));
  private readonly connections = new Set<Connection>();
  private readonly delayed = new Set<NodeJS.Timeout>();

  constructor(public answer: (question: Question, transport: "udp" | "tcp") => Reply) {}

  async start(): Promise<this> {
    this.udp.on("message", (message, { port: from, address }) => {
      const reply = this.reply(message, "udp");
      if (!reply) return;
      const send = () => this.udp.send(this.mangle?.(reply) ?? reply, from, address);
      if (this.delayMs > 0) this.delayed.add(setTimeout(send, this.delayMs));
      else send();
    });
    this.port = await freePort();
    await Promise.all([
      once(this.tcp.listen(this.port, "127.0.0.1"), "listening"),
      once(this.udp.bind(this.port, "127.0.0.1"), "listening"),
    ]);
    return this;
  }

  stop(): void {
    for (const timer of this.delayed) clearTimeout(timer);
    this.udp.close();
    this.tcp.close();
    for (const connection of this.connections) connection.destroy();
  }

  private serve(connection: Connection): void {
    this.connections.add(connection);
    // Or the second piece waits until the client acknowledges the first, for 40 ms.
    connection.setNoDelay();
    connection.on("error", () => connection.destroy());
    connection.on("data", (data) => {
      const answered = this.reply(data.subarray(2), "tcp");
      if (!answered) return;
      const reply = this.mangle?.(answered) ?? answered;
      // In two pieces, as a network may deliver them.
      const framed = Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 255]), reply]);
      connection.write(framed.subarray(0, 1));
      setTimeout(() => connection.write(framed.subarray(1)), 5);
    });
  }

  private reply(message: Buffer, transport: "udp" | "tcp"): Buffer | undefined {
    const query = decode(message);
    const [question] = query.questions ?? [];
    if (!question) return undefined;
    this.asked.push(`${transport} ${question.type} ${question.name}`);
    const reply = this.answer(question, transport);
    if (reply === "silence") return undefined;
    // With the query's id, without which no client would look any further.
    if (typeof reply === "object" && "raw" in reply)
      return Buffer.concat([message.subarray(0, 2), reply.raw.subarray(2)]);
    const packet: Packet = { type: "response", id: query.id ?? 0, questions: [question], flags: 0, answers: [] };
    if (reply === "truncated") return encode({ ...packet, flags: 0x0200 });
    if ("rcode" in reply) return encode({ ...packet, flags: reply.rcode, authorities: reply.authorities ?? [] });
    const answers = "records" in reply ? reply.records : reply.map((data) => record(question, data));
    return streamEncode({ ...packet, answers }).subarray(2);
  }
}

function record({ type, name }: Question, data: string): Answer {
  return { type: type === "AAAA" ? "AAAA" : "A", name, ttl: 30, data };
}
