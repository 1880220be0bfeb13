import dgram from "node:dgram";
import net from "node:net";
import packet, { type Answer, type RecordType } from "dns-packet";

export interface Reply {
  readonly rcode: string;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
}

export interface Question {
  readonly name: string;
  readonly type?: RecordType;
  readonly server?: string;
  readonly port: number;
  /** The source address. */
  readonly from?: string;
  readonly tcp?: boolean;
  /** Asks for signatures. */
  readonly dnssecOk?: boolean;
  /** @default 30000 */
  readonly timeoutMs?: number;
}

export async function ask(question: Question): Promise<Reply> {
  const { name, type = "A" } = question;
  const id = Math.floor(Math.random() * 65_536);
  const query = packet.encode({
    type: "query",
    id,
    flags: packet.RECURSION_DESIRED,
    questions: [{ name, type }],
    ...(question.dnssecOk ? { additionals: [edns] } : {}),
  });
  const reply = packet.decode(await (question.tcp ? overTcp(query, question) : overUdp(query, question)));
  // A field of the decoded flags that the types lack.
  const { rcode } = reply as { rcode?: string };
  return { rcode: rcode ?? "", answers: reply.answers ?? [], authorities: reply.authorities ?? [] };
}

const edns: packet.OptAnswer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: packet.DNSSEC_OK,
  flag_do: true,
  options: [],
};

/** The addresses of a name; its response code if it has none. */
export async function addresses(question: Question): Promise<string | string[]> {
  const { rcode, answers } = await ask(question);
  const found = answers.flatMap((answer) => (answer.type === "A" || answer.type === "AAAA" ? [answer.data] : []));
  if (found.length > 0) return found.length === 1 ? (found[0] ?? "") : found;
  return rcode === "NOERROR" ? "NODATA" : rcode;
}

function overUdp(query: Buffer, { server = "127.0.0.1", port, from, timeoutMs = 30_000 }: Question): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIPv6(server) ? "udp6" : "udp4");
    const timer = setTimeout(() => finish(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const finish = (outcome: Buffer | Error) => {
      clearTimeout(timer);
      socket.close();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    socket.on("error", finish);
    socket.on("message", finish);
    socket.bind(0, from, () => socket.send(query, port, server));
  });
}

function overTcp(query: Buffer, { server = "127.0.0.1", port, from, timeoutMs = 30_000 }: Question): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: server, ...(from === undefined ? {} : { localAddress: from }) });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    let received = Buffer.alloc(0);
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    socket.on("error", reject);
    socket.on("connect", () => socket.write(Buffer.concat([length, query])));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      socket.destroy();
      resolve(received.subarray(2));
    });
  });
}
