import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import {
  type Answer,
  decode,
  type DecodedPacket,
  encode,
  type Packet,
  RECURSION_DESIRED,
  streamEncode,
} from "dns-packet";
import { addressRange, canonicalAddress, familyOf, type Family } from "../../model/syntax/addresses";

export interface NameServer {
  readonly address: string;
  readonly port: number;
}

/** More than a Service has; a name with more is not one that a hosts file can stand for. */
const maxAddresses = 32;

const recordTypes = { IPv4: "A", IPv6: "AAAA" } as const;

/**
 * The addresses of a name: each server in turn, over UDP and then over TCP, until one answers. Empty where the name has none.
 * @throws Error when nobody answers, or an answer cannot be trusted.
 */
export async function lookup(
  name: string,
  family: Family,
  servers: readonly NameServer[],
  timeout = 2000,
): Promise<string[]> {
  const failures: string[] = [];
  for (const server of servers) {
    for (const [transport, ask] of [
      ["UDP", askUDP],
      ["TCP", askTCP],
    ] as const) {
      try {
        return addresses(await ask(question(name, family), server, timeout), name, family);
      } catch (error) {
        failures.push(`${server.address} over ${transport}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  throw new Error(`${recordTypes[family]} of ${name}: ${failures.join("; ")}`);
}

function question(name: string, family: Family): Packet {
  return {
    type: "query",
    id: randomInt(0x10000),
    flags: RECURSION_DESIRED,
    questions: [{ type: recordTypes[family], name }],
    // What a packet holds without being fragmented (DNS Flag Day 2020).
    additionals: [
      {
        type: "OPT",
        name: ".",
        udpPayloadSize: 1232,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  };
}

function askUDP(query: Packet, { address, port }: NameServer, timeout: number): Promise<DecodedPacket> {
  const socket = createSocket(familyOf(address) === "IPv6" ? "udp6" : "udp4");
  return new Promise<DecodedPacket>((resolve, reject) => {
    setTimer(timeout, reject, (timer) => socket.once("close", () => clearTimeout(timer)));
    socket.once("error", reject);
    socket.on("message", (message) => {
      const reply = replyTo(query, message);
      if (reply?.flag_tc) reject(new Error("truncated"));
      else if (reply) resolve(reply);
    });
    // Connected, the kernel drops what comes from elsewhere, and tells when nobody listens.
    socket.connect(port, address, () => socket.send(encode(query)));
  }).finally(() => socket.close());
}

function askTCP(query: Packet, { address, port }: NameServer, timeout: number): Promise<DecodedPacket> {
  const socket = connect({ host: address, port });
  let received = Buffer.alloc(0);
  return new Promise<DecodedPacket>((resolve, reject) => {
    setTimer(timeout, reject, (timer) => socket.once("close", () => clearTimeout(timer)));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed before an answer came")));
    socket.on("data", (data) => {
      received = Buffer.concat([received, data]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE()) return;
      const reply = replyTo(query, received.subarray(2, 2 + received.readUInt16BE()));
      if (reply) resolve(reply);
      else reject(new Error("an answer that is not DNS, or to another question"));
    });
    socket.write(streamEncode(query));
  }).finally(() => socket.destroy());
}

function setTimer(timeout: number, reject: (error: Error) => void, use: (timer: NodeJS.Timeout) => void): void {
  use(setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout));
}

/** The message as the reply to a query, or undefined when it is none: then the reply may still come. */
function replyTo(query: Packet, message: Buffer): DecodedPacket | undefined {
  let reply: DecodedPacket;
  try {
    reply = decode(message);
  } catch {
    return undefined;
  }
  const [asked] = query.questions ?? [];
  const [echoed] = reply.questions ?? [];
  const fits =
    reply.type === "response" &&
    reply.id === query.id &&
    asked &&
    echoed?.type === asked.type &&
    sameName(echoed.name, asked.name);
  return fits ? reply : undefined;
}

function addresses(reply: DecodedPacket & { rcode?: string }, name: string, family: Family): string[] {
  const { rcode = "NOERROR", answers = [] } = reply;
  if (rcode === "NXDOMAIN") return [];
  if (rcode !== "NOERROR") throw new Error(`answered ${rcode}`);
  const found = recordsOf(name, family, answers);
  if (found.length > maxAddresses) throw new Error(`${found.length} addresses, at most ${maxAddresses} are taken`);
  for (const address of found) refuseUnusable(address, family);
  return [...new Set(found.map(canonicalAddress))];
}

/** Data of the records of a name or of one that it is an alias for. */
function recordsOf(name: string, family: Family, answers: readonly Answer[]): string[] {
  let owner = name;
  for (let aliases = 0; aliases < 16; aliases++) {
    const alias = answers.find((answer) => answer.type === "CNAME" && sameName(answer.name, owner));
    if (alias?.type !== "CNAME") break;
    owner = alias.data;
  }
  return answers.flatMap((answer) =>
    (answer.type === "A" || answer.type === "AAAA") &&
    answer.type === recordTypes[family] &&
    sameName(answer.name, owner)
      ? [String(answer.data)]
      : [],
  );
}

const unusable = ["unspecified", "loopback", "multicast", "broadcast", "linkLocal", "ipv4Mapped"];

function refuseUnusable(address: string, family: Family): void {
  if (familyOf(address) !== family) throw new Error(`${JSON.stringify(address)} is no ${family} address`);
  const range = addressRange(address);
  if (unusable.includes(range)) throw new Error(`${address} (${range}) is no address that a Service has`);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase().replace(/\.$/, "") === b.toLowerCase().replace(/\.$/, "");
}
