import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask } from "../../../../rig/coredns/ask";
import { Balancer } from "../../../../rig/coredns/balancer";
import { whyNoCoreDNS, type Running } from "../../../../rig/coredns/coredns";
import { cached, SmallDns } from "../../lib/small-dns";

/** As many connections as some hundred nodes have: which pod each gets is chance. Clients of a node ask at the same time. */
const [nodes, clients] = [12, 80] as const;

describe.skipIf(whyNoCoreDNS)(`scaling out${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it("a minute after two pods become four, all have the same load, and no query was lost", async () => {
    const dns = new SmallDns(onTestFinished);
    const { url } = await dns.api({ shop: {} });
    const pods = await portsOf(4, () => dns.cluster(cached, { api: url }));
    const service = dns.keep(await new Balancer(...pods.slice(0, 2)).start());
    const caches = await portsOf(nodes, () => dns.cache(service.port, cached));

    const outcomes = new Map<string, number>();
    let isOver = false;
    const asking = caches.map(async (port, node) => {
      for (let round = 0; !isOver; round++) {
        const next = sleep(1000);
        const names = Array.from({ length: clients }, (__, i) => `q${node}-${round}-${i}.shop.svc.cluster.local`);
        for (const outcome of await Promise.all(
          names.map((name) => ask({ name, port, timeoutMs: 5000 }).then(({ rcode }) => rcode, String)),
        ))
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await next;
      }
    });
    /** Queries of each pod within some seconds, as shares of what each would have if all had the same. */
    const shares = async (seconds: number) => {
      const before = new Map(service.queries);
      await sleep(seconds * 1000);
      const counts = pods.map((pod) => (service.queries.get(pod) ?? 0) - (before.get(pod) ?? 0));
      const mean = counts.reduce((sum, each) => sum + each) / pods.length;
      return counts.map((each) => Math.round((each / mean) * 100));
    };
    await sleep(5000);
    service.pods = pods;
    const first = await shares(10);
    await sleep(20_000);
    const after = await shares(30);
    isOver = true;
    await Promise.all(asking);
    process.stdout.write(
      `shares of four pods in %: ${first.join(", ")} in the first ten seconds, ${after.join(", ")} in the second half minute; ${JSON.stringify(Object.fromEntries(outcomes))}\n`,
    );
    expect([...outcomes.keys()]).toEqual(["NXDOMAIN"]);
    expect(Math.max(...after) - Math.min(...after)).toBeLessThan(20);
  });
});

/** Of so many, started one after the other. */
async function portsOf(count: number, start: () => Promise<Running>): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push((await start()).port);
  return ports;
}
