import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ask } from "../../../../rig/coredns/ask";
import { Balancer } from "../../../../rig/coredns/balancer";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { cached, SmallDns } from "../../lib/small-dns";

const dns = new SmallDns();

// The first pod has every connection when the second one comes.
describe.skipIf(whyNoCoreDNS)(`connections of a busy cache${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it.concurrent.each<[does: string, version: string, asksSecond: boolean]>([
    ["end, and a pod that is new is asked", "v1.14.7", true],
    ["never end with a CoreDNS that has no max_age", "v1.14.2", false],
  ])("%s", async (_, version, asksSecond) => {
    const { port: first } = await dns.upstream(() => ["192.0.2.1"]);
    const { port: second } = await dns.upstream(() => ["192.0.2.1"]);
    const service = dns.keep(await new Balancer(first).start());
    const nodeLocalDNS = { image: `registry.k8s.io/coredns/coredns:${version}` };
    const cache = await dns.cache(service.port, { ...cached, nodeLocalDNS });
    const outcomes = new Set<string>();
    let longestMs = 0;
    const askFor = async (seconds: number, until: () => boolean) => {
      const end = Date.now() + seconds * 1000;
      for (let i = 0; Date.now() < end && !until(); i++) {
        const start = performance.now();
        outcomes.add((await ask({ name: `q${Date.now()}-${i}.cluster.local`, port: cache.port })).rcode);
        longestMs = Math.max(longestMs, performance.now() - start);
        await sleep(50);
      }
    };
    await askFor(1, () => false);
    service.pods = [second];
    const isAsked = () => (service.queries.get(second) ?? 0) > 0;
    // A busy machine may be late, but never early.
    await askFor(asksSecond ? 60 : 17, isAsked);
    // One whose answer is late by two seconds ends, too, with any version.
    const isByAge = isAsked() && (asksSecond || longestMs < 1500);
    expect(isByAge).toBe(asksSecond);
    expect([...outcomes]).toEqual(["NOERROR"]);
  });
});
