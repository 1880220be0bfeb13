import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket as Connection } from "node:net";
import { createHash } from "node:crypto";
import { type Answer, decode, encode, type Question, streamEncode } from "dns-packet";
import { freePort } from "../free-port";

/** Stands for the servers of a `forward`: every answer shows which, so that nothing else has the same. */
class Upstream {
  port = 0;
  private readonly udp: Socket = createSocket("udp4");
  private readonly tcp: Server = createServer((connection) => this.serve(connection));
  private readonly connections = new Set<Connection>();

  constructor(private readonly servers: string) {}

  async start(): Promise<void> {
    this.udp.on("message", (message, { port, address }) => {
      const reply = answer(this.servers, message);
      if (reply) this.udp.send(encode(reply), port, address);
    });
    this.port = await freePort();
    await Promise.all([
      once(this.tcp.listen(this.port, "127.0.0.1"), "listening"),
      once(this.udp.bind(this.port, "127.0.0.1"), "listening"),
    ]);
  }

  stop(): void {
    this.udp.close();
    this.tcp.close();
    for (const connection of this.connections) connection.destroy();
  }

  private serve(connection: Connection): void {
    this.connections.add(connection);
    let received = Buffer.alloc(0);
    connection.on("error", () => connection.destroy());
    connection.on("close", () => this.connections.delete(connection));
    connection.on("data", (data) => {
      received = Buffer.concat([received, data]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const reply = answer(this.servers, received.subarray(2, end));
        received = received.subarray(end);
        if (reply) connection.write(streamEncode(reply));
      }
    });
  }
}

function answer(servers: string, message: Buffer) {
  const query = decode(message);
  const [question] = query.questions ?? [];
  if (!question) return undefined;
  const answers = recordsOf(servers, question);
  // A name that begins so is in no zone.
  const rcode = question.name.toLowerCase().startsWith("missing") ? 3 : 0;
  return {
    type: "response" as const,
    id: query.id ?? 0,
    flags: 0x0080 + rcode,
    questions: [question],
    answers: rcode === 0 ? answers : [],
  };
}

function recordsOf(servers: string, { name, type }: Question): Answer[] {
  const [a = 0, b = 0] = createHash("sha256").update(servers).digest();
  const record = { name, ttl: 3600 };
  const address = `198.18.${a}.${b}`;
  if (name.toLowerCase().startsWith("alias")) {
    const target = name.replace(/^[^.]+/, "target");
    const alias: Answer = { ...record, type: "CNAME", data: target };
    return type === "A" ? [alias, { ...record, name: target, type: "A", data: address }] : [alias];
  }
  switch (type) {
    case "A":
      return [{ ...record, type, data: address }];
    case "AAAA":
      // Some names have none, as most names have.
      return name.includes("4") ? [] : [{ ...record, type, data: `2001:db8::${a.toString(16)}:${b.toString(16)}` }];
    case "TXT":
      return [{ ...record, type, data: servers.slice(0, 200) }];
    case "PTR":
      return [{ ...record, type, data: `host-${a}-${b}.example` }];
    case "MX":
      return [{ ...record, type, data: { preference: 10, exchange: `mail-${a}-${b}.example` } }];
    case "SRV":
      return [{ ...record, type, data: { priority: 0, weight: 1, port: 80, target: `host-${a}-${b}.example` } }];
    default:
      return [];
  }
}

/** A server on loopback for each list of servers that Corefiles name. */
export class Upstreams {
  private readonly all = new Map<string, Promise<Upstream>>();

  async portOf(servers: readonly string[]): Promise<number> {
    const key = servers.toSorted().join(" ");
    const upstream = this.all.get(key) ?? started(new Upstream(key));
    this.all.set(key, upstream);
    return (await upstream).port;
  }

  async stop(): Promise<void> {
    for (const upstream of this.all.values()) (await upstream).stop();
  }
}

async function started(upstream: Upstream): Promise<Upstream> {
  await upstream.start();
  return upstream;
}
