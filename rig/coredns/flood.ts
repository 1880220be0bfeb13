import dgram from "node:dgram";
import net from "node:net";

/** Address queries for names that were never queried before. */
export interface Flood {
  readonly port: number;
  readonly tcp: boolean;
  readonly count: number;
  /** Concurrent clients, each sending one query after another. */
  readonly clients: number;
  /** The suffix of the names. */
  readonly zone: string;
  /** Whether names have the maximum length, in octets that CoreDNS stores as four characters each. */
  readonly longNames: boolean;
}

/** Number of queries that got any answer. */
export async function flood({ port, tcp, count, clients, zone, longNames }: Flood): Promise<number> {
  let next = 0;
  let answered = 0;
  const ask = tcp ? askOverTcp : askOverUdp;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < count) if (await ask(port, query(next++, zone, longNames))) answered += 1;
    }),
  );
  return answered;
}

export function query(index: number, zone: string, longName: boolean): Buffer {
  const end = zone.split(".").map((label) => Buffer.from(label));
  const labels = [Buffer.from(`n${index}`), ...end];
  const octetsLeft = () => 255 - labels.reduce((sum, label) => sum + label.length + 1, 1);
  while (longName && octetsLeft() > 1) labels.splice(1, 0, Buffer.alloc(Math.min(63, octetsLeft() - 1), 1));
  const name = Buffer.concat(labels.flatMap((label) => [Buffer.from([label.length]), label]));
  const header = Buffer.from([index >> 8, index, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
  const edns = Buffer.from([0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, name, Buffer.from([0, 0, 1, 0, 1]), edns]);
}

const timeoutMs = 10_000;

function askOverUdp(port: number, message: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket("udp4");
    const done = (answered: boolean) => {
      clearTimeout(timer);
      socket.close(() => resolve(answered));
    };
    const timer = setTimeout(() => done(false), timeoutMs);
    socket.once("error", () => done(false));
    socket.once("message", () => done(true));
    socket.send(message, port, "127.0.0.1");
  });
}

function askOverTcp(port: number, message: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    let received = 0;
    let whole = Infinity;
    const socket = net.connect(port, "127.0.0.1");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.setTimeout(timeoutMs, () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received >= whole));
    socket.on("connect", () => socket.write(Buffer.concat([length, message])));
    socket.on("data", (chunk) => {
      if (received === 0) whole = 2 + chunk.readUInt16BE(0);
      received += chunk.length;
      if (received >= whole) socket.destroy();
    });
  });
}
