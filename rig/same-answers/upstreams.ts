import { createHash } from "node:crypto";
import type { Answer, Question } from "dns-packet";
import { DnsServer, type Reply } from "../dns-server";

/** Every answer shows whose it is, so that nothing else has the same. */
function answer(servers: string, question: Question): Reply {
  // A name that begins so is in no zone.
  return question.name.toLowerCase().startsWith("missing") ? { rcode: 3 } : { records: recordsOf(servers, question) };
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

/** A server on loopback for each list of servers that Corefiles name: it stands for them. */
export class Upstreams {
  private readonly all = new Map<string, Promise<DnsServer>>();

  async portOf(servers: readonly string[]): Promise<number> {
    const key = servers.toSorted().join(" ");
    const upstream = this.all.get(key) ?? new DnsServer((question) => answer(key, question)).start();
    this.all.set(key, upstream);
    return (await upstream).port;
  }

  async stop(): Promise<void> {
    for (const upstream of this.all.values()) (await upstream).stop();
  }
}
