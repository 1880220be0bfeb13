import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { ask } from "../../../../rig/coredns/ask";
import { Balancer } from "../../../../rig/coredns/balancer";
import { authoritativeCorefileOf, nodeLocalDnsCorefileBeside } from "../../../../rig/coredns/corefile-of";
import { runCoreDNS, whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { FakeApi } from "../../../../rig/coredns/fake-api";
import { namespace } from "../../../../rig/coredns/objects";

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const props = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "agent:1",
  upstreamNameservers: ["192.0.2.53"],
} as const;

/** As many connections as some hundred nodes have: which pod each gets is chance. Clients of a node ask at the same time. */
const [nodes, clients] = [12, 80] as const;

describe.skipIf(whyNoCoreDNS)(`scaling out${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it("a minute after two pods become four, all have the same load, and no query was lost", async () => {
    const api = new FakeApi();
    api.put("namespaces", namespace("shop"));
    const url = await api.start();
    stops.push(() => api.stop());
    const run = async (corefile: Parameters<typeof runCoreDNS>[0]) => {
      const running = await runCoreDNS(corefile, { api: url });
      stops.push(() => running.stop());
      return running.port;
    };
    const pods = await inTurn(4, () => run(authoritativeCorefileOf(props)));
    const service = await new Balancer(...pods.slice(0, 2)).start();
    stops.push(() => service.stop());
    const caches = await inTurn(nodes, () => run(nodeLocalDnsCorefileBeside(service.port, props)));

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

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}
