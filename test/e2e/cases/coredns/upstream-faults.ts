import { setTimeout as sleep } from "node:timers/promises";
import { addresses } from "../../../../rig/coredns/ask";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { Reply } from "../../../../rig/dns-server";
import { cached, SmallDns } from "../../lib/small-dns";

const right = "192.0.2.1";
const dns = new SmallDns();

/** What a server does to queries from some moment on. */
export interface Fault {
  readonly what: string;
  /** Of two servers: one, or both, as where a firewall is in the way. */
  readonly of: "one" | "both";
  readonly reply: (transport: "udp" | "tcp", number: number) => Reply;
  /** Of answers over UDP. */
  readonly delayMs?: number;
  /** Whether names are asked that the cache has had, which have expired. */
  readonly isKnown?: true;
  /** Whether a short run shows it in counts, and not only in times. */
  readonly isCounted?: true;
  /** What helps. */
  readonly after: Partial<ClusterDnsProps>;
  /** The same, as docs/failover.md says it. */
  readonly inWords: string;
}

const soon = { timeout: "500ms", maxFails: 1 } as const;

export const faults: readonly Fault[] = [
  {
    what: "dead: no answer",
    of: "one",
    reply: () => "silence",
    after: { upstreamOptions: soon },
    inWords: "`timeout: 500ms`, `maxFails: 1`",
  },
  {
    what: "slow: 1.5 s",
    of: "one",
    reply: () => [right],
    delayMs: 1500,
    after: { upstreamOptions: soon },
    inWords: "the same",
  },
  {
    what: "SERVFAIL",
    of: "one",
    reply: () => ({ rcode: 2 }),
    isCounted: true,
    after: { upstreamOptions: { failover: ["SERVFAIL", "REFUSED"] } },
    inWords: "`failover: [SERVFAIL, REFUSED]`",
  },
  {
    what: "REFUSED",
    of: "one",
    reply: () => ({ rcode: 5 }),
    isCounted: true,
    after: { upstreamOptions: { failover: ["SERVFAIL", "REFUSED"] } },
    inWords: "the same",
  },
  {
    what: "empty answers",
    of: "both",
    reply: () => [],
    isKnown: true,
    isCounted: true,
    after: { nodeLocalDNS: { cache: { success: { ttl: 1 }, serveStale: { duration: "1h", preferPositive: true } } } },
    inWords: "`serveStale` with `preferPositive`",
  },
  {
    what: "half of the answers over UDP lost",
    of: "both",
    reply: (transport, number) => (transport === "udp" && number % 2 === 0 ? "silence" : [right]),
    after: { upstreamOptions: { protocol: "tcp" } },
    inWords: "`protocol: tcp`",
  },
  {
    what: "no answers over UDP",
    of: "both",
    reply: (transport) => (transport === "udp" ? "silence" : [right]),
    isCounted: true,
    after: { upstreamOptions: { protocol: "tcp" } },
    inWords: "the same",
  },
];

/**
 * What clients of a node cache see while its servers outside have a fault: how many queries are lost, without the right
 * answer within 5 seconds, as glibc waits, or what the load says, and the 99th percentile of the others, in ms.
 */
export async function seenWith(
  fault: Fault,
  options: Partial<ClusterDnsProps>,
  load: { readonly rate: number; readonly seconds: number; readonly timeoutMs?: number },
) {
  const servers = [await dns.upstream(() => [right]), await dns.upstream(() => [right])];
  const upstreamNameservers = servers.map(({ port }) => `127.0.0.1:${port}`);
  const nodeLocalDNS = { cache: { success: { ttl: 1 } } };
  const cache = await dns.cache(9, { ...cached, upstreamNameservers, nodeLocalDNS, ...options });
  const ask = (name: string) => addresses({ name, port: cache.port, timeoutMs: load.timeoutMs ?? 5000 }).catch(String);
  const names = Array.from({ length: load.rate * load.seconds }, (_, i) =>
    fault.isKnown ? `known${i % 20}.outside.example` : `q${i}.outside.example`,
  );
  if (fault.isKnown) {
    for (const name of new Set(names)) await ask(name);
    await sleep(1100);
  }
  for (const server of fault.of === "one" ? servers.slice(0, 1) : servers) {
    let number = 0;
    server.answer = (_, transport) => fault.reply(transport, number++);
    server.delayMs = fault.delayMs ?? 0;
  }
  const took: number[] = [];
  const asking = names.map(async (name, i) => {
    await sleep((i / load.rate) * 1000);
    const start = performance.now();
    if ((await ask(name)) === right) took.push(performance.now() - start);
  });
  await Promise.all(asking);
  const sorted = took.toSorted((a, b) => a - b);
  const p99 = Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
  return { lost: names.length - took.length, p99 };
}
