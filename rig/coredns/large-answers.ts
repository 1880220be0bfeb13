import dgram from "node:dgram";
import net from "node:net";
import { freePort } from "../free-port";

/**
 * A DNS server on loopback that answers every name with as many records as fit into a message, up to 59,000 bytes of
 * them: addresses, or with `repeatsNames` records of three names each (MINFO), all of them the queried one.
 */
export class LargeAnswers {
  private readonly udp = dgram.createSocket("udp4");
  private readonly tcp: net.Server;
  private readonly records = new Map<number, Buffer>();

  private readonly isNegative: boolean;
  private readonly recordAt: (index: number) => Buffer;
  /** Answers given over TCP. */
  answered = 0;

  /** `isNegative`: the records are additional ones of an NXDOMAIN. */
  constructor({ isNegative = false, repeatsNames = false } = {}) {
    this.isNegative = isNegative;
    this.recordAt = repeatsNames ? () => namesRecord : addressRecord;
    const accept = (socket: net.Socket) =>
      serve(socket, (query) => {
        this.answered += 1;
        return this.answer(query, 59_000);
      });
    this.tcp = net.createServer(accept);
    this.udp.on("message", (query, { port, address }) => {
      // Upstream answers are limited to the size that the client announced.
      const limit = query.readUInt16BE(10) === 0 ? 512 : query.readUInt16BE(query.length - 8);
      this.udp.send(this.answer(query, limit), port, address);
    });
  }

  /** Its port, the same for UDP and TCP. */
  async start(): Promise<number> {
    const port = await freePort();
    await new Promise<void>((resolve) => this.tcp.listen(port, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => this.udp.bind(port, "127.0.0.1", resolve));
    return port;
  }

  async stop(): Promise<void> {
    this.udp.close();
    await new Promise((resolve) => this.tcp.close(resolve));
  }

  private answer(query: Buffer, limit: number): Buffer {
    const question = query.subarray(12, endOfQuestion(query));
    const soa = this.isNegative ? soaRecord : Buffer.alloc(0);
    const count = Math.floor((limit - 12 - question.length - soa.length) / this.recordAt(0).length);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(this.isNegative ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(this.isNegative ? 0 : count, 6);
    header.writeUInt16BE(this.isNegative ? 1 : 0, 8);
    header.writeUInt16BE(this.isNegative ? count : 0, 10);
    return Buffer.concat([header, question, soa, this.recordsOf(count)]);
  }

  private recordsOf(count: number): Buffer {
    const known = this.records.get(count);
    if (known) return known;
    const made = Buffer.concat(Array.from({ length: count }, (_, i) => this.recordAt(i)));
    this.records.set(count, made);
    return made;
  }
}

/** A record whose name is a pointer to the question's. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 1, 44, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function addressRecord(index: number): Buffer {
  return record(1, Buffer.from([10, (index >> 16) & 255, (index >> 8) & 255, index & 255]));
}

const namesRecord = record(14, Buffer.from([0xc0, 12, 0xc0, 12]));
const soaRecord = record(
  6,
  Buffer.concat([Buffer.from([0xc0, 12, 0xc0, 12]), Buffer.alloc(16, 1), Buffer.from([0, 0, 1, 44])]),
);

function endOfQuestion(query: Buffer): number {
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) at += length + 1;
  return at + 5;
}

/** Answers each message that arrives over TCP. */
function serve(socket: net.Socket, answer: (query: Buffer) => Buffer): void {
  let received = Buffer.alloc(0);
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const message = answer(received.subarray(2, end));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.write(Buffer.concat([length, message]));
      received = received.subarray(end);
    }
  });
}
