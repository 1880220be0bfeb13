import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { until } from "../../../../rig/until";
import type { CacheOptions } from "../../../../src/model/props/cache";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { DnsServer } from "../../../../rig/dns-server";
import { cached, SmallDns } from "../../lib/small-dns";

const name = "app.outside.example";
const before = "192.0.2.1";
/** An expired answer is recognized by its TTL (`responseTTL`): fresh ones have one second at most. */
const staleTTL = 30;
/** What the alert CoreDNSAnswersStale reads. */
const counted = "coredns_cache_served_stale_total";

describe.skipIf(whyNoCoreDNS)(`serveStale in CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const [dns, outside] = [new SmallDns(afterEach), new SmallDns(afterEach)];
  let upstream: DnsServer;
  beforeEach(async () => void (upstream = await outside.upstream(() => [before])));

  /** A cache that has just received an upstream's answer. */
  const filled = async (serveStale: CacheOptions["serveStale"]) => {
    const cache = await dns.cache(9, props(serveStale, upstream.port));
    expect(await answer(cache.port, name)).toMatchObject({ address: before });
    return cache;
  };

  const stale = { rcode: "NOERROR", address: before, isStale: true };

  it.each([
    ["nothing listens", () => outside.stop()],
    ["it fails", () => (upstream.answer = () => ({ rcode: 2 }))],
  ])("verify: while the upstream is down (%s), the expired answer is served", async (_, goDown) => {
    const { port, count } = await filled("1h");
    goDown();
    expect(await firstOther(port)).toEqual(stale);
    expect(await count(counted)).toBeGreaterThan(0);
  });

  // It would be asked for five seconds: whoever does not wait for that is first, also on a busy machine.
  it("verify: while the upstream is silent, the expired answer is served soon", async () => {
    const [{ port }, { port: without }] = [await filled("1h"), await filled(undefined)];
    upstream.answer = () => "silence";
    const ended: string[] = [];
    const asked = { with: port, without };
    const both = Object.entries(asked).map(([which, at]) => firstOther(at).finally(() => ended.push(which)));
    expect(await Promise.all(both)).toMatchObject([stale, { rcode: "SERVFAIL" }]);
    expect(ended).toEqual(["with", "without"]);
  });

  describe("the cluster's own names", () => {
    const cart = "cart.shop.svc.cluster.local";
    const afterTheClusterDns = async (serveStale: CacheOptions["serveStale"]) => {
      const { url } = await dns.api({ shop: { cart: "10.96.1.1" } });
      const server = await dns.cluster(props(undefined, upstream.port), { api: url });
      const { port } = await dns.cache(server.port, props(serveStale, upstream.port));
      expect(await answer(port, cart)).toMatchObject({ address: "10.96.1.1" });
      await server.stop();
      return firstOther(port, cart);
    };

    it("are not served once they have expired", async () => {
      expect(await afterTheClusterDns("1h")).toMatchObject({ rcode: "SERVFAIL" });
    });

    it("are, if the cluster file asks for it", async () => {
      const got = await afterTheClusterDns({ duration: "1h", clusterNames: true });
      expect(got).toMatchObject({ address: "10.96.1.1", isStale: true });
    });
  });

  /** What is returned instead of a fresh answer, once that has expired. */
  async function firstOther(port: number, asked = name) {
    const fresh = asked === name ? before : "10.96.1.1";
    return until("another answer", 30, async () => {
      const got = await answer(port, asked);
      return got.address === fresh && !got.isStale ? undefined : got;
    });
  }
});

function props(serveStale: CacheOptions["serveStale"], upstreamPort: number): ClusterDnsProps {
  return {
    ...cached,
    upstreamNameservers: [`127.0.0.1:${upstreamPort}`],
    nodeLocalDNS: { cache: { success: { ttl: 1 }, ...(serveStale ? { serveStale } : {}) } },
  };
}

async function answer(port: number, asked: string) {
  const { rcode, answers } = await ask({ name: asked, port });
  const [first] = answers;
  return {
    rcode,
    address: first?.type === "A" ? first.data : undefined,
    isStale: first?.type === "A" && first.ttl === staleTTL,
  };
}
