import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addresses, ask } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { namespace, service } from "../../../../rig/coredns/objects";
import { until } from "../../../../rig/until";
import type { Corefile } from "../../../../src/model/corefile/corefile";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { type DnsServer, notThere, type Reply } from "../../../../rig/dns-server";
import { cached, SmallDns } from "../../lib/small-dns";

const [good, name] = ["192.0.2.1", "app.outside.example"];

const toShop = { match: "suffix", to: ".shop.svc.cluster.local" } as const;
const further = "further.example {\n kubernetes further.example {\n ttl 1\n }\n}";
const many = <Item>(item: (i: number) => Item) => Array.from({ length: 2501 }, (_, i) => item(i));

describe.skipIf(whyNoCoreDNS)(`resilience in CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  const dns = new SmallDns(afterEach);
  let upstream: DnsServer;
  beforeEach(async () => void (upstream = await dns.upstream(() => [good])));

  const cache = (resilience?: ClusterDnsProps["resilience"], edited = (each: Corefile) => each) => {
    const upstreamNameservers = [`127.0.0.1:${upstream.port}`];
    const nodeLocalDNS = { cache: { success: { ttl: 1 }, denial: { ttl: 1 } } };
    return dns.cache(9, { ...cached, upstreamNameservers, nodeLocalDNS, resilience }, { edited });
  };

  /** Until the answer has expired, upstream is asked no more than before, or again. */
  const isOld = (port: number) =>
    until("an answer from upstream again, or one that is expired", 10, async () => {
      const count = () => upstream.asked.filter((each) => each.endsWith(name)).length;
      const before = count();
      await addresses({ name, port });
      return count() > before;
    });

  it.each<[string, Reply]>([
    ["NXDOMAIN", { rcode: 3 }],
    ["nothing", []],
    ["SERVFAIL", { rcode: 2 }],
  ])("servers outside that begin to answer %s do not take the last answer away", async (_, reply) => {
    const [on, off] = [await cache(true), await cache()];
    const both = async () => [await addresses({ name, port: on.port }), await addresses({ name, port: off.port })];
    expect(await both()).toEqual([good, good]);
    upstream.answer = () => reply;
    // One after the other: either would take the other's query for its own.
    for (const { port } of [on, off]) await isOld(port);
    const [kept, lost] = await both();
    expect(kept).toBe(good);
    expect(lost).not.toBe(good);
  });

  it("servers outside that begin to fail do not take away that a name does not exist, where musl goes on", async () => {
    upstream.answer = () => notThere;
    const { port } = await cache(true);
    const at = () => addresses({ name, port });
    expect(await at()).toBe("NXDOMAIN");
    upstream.answer = () => ({ rcode: 2 });
    await isOld(port);
    expect([await at(), await at()]).toEqual(["NXDOMAIN", "NXDOMAIN"]);
  });

  it.each<[asked: string, Partial<ClusterDnsProps>]>([
    ["cart.apps2500.example", { rewrites: many((i) => ({ ...toShop, from: `.apps${i}.example` })) }],
    [
      "cart.stub.example",
      {
        rewrites: [
          { match: "prefix", from: "old-", to: "new-" },
          { from: "cart.stub.example", to: "cart.shop.svc.cluster.local" },
        ],
        stubDomains: { "stub.example": ["127.0.0.1:9"] },
      },
    ],
    [
      "cart.b.a.shops.example",
      {
        rewrites: [
          { ...toShop, from: ".b.a.shops.example" },
          { match: "suffix", from: ".a.shops.example", to: ".outside.example" },
          { ...toShop, from: ".shops.example" },
        ],
      },
    ],
    [
      "its-cart.example",
      { rewrites: [{ match: "regex", from: "^its-(?<app>.*)\\.example\\.$", to: "{1}.shop.svc.cluster.local" }] },
    ],
    [
      "cart.second.example",
      {
        rewrites: [{ from: "cart.second.example", to: "cart.shop.svc.further.example" }],
        authoritativeDNS: { corefile: { blocks: further } },
      },
    ],
  ])("a deleted Service is gone under a name outside that leads to it: %s", async (asked, more) => {
    const { api, url } = await dns.api();
    api.put("namespaces", namespace("shop"));
    api.put("services", service("shop", "cart", "10.96.1.1"));
    const caching = { cache: { success: { ttl: 1 }, denial: { ttl: 1 } } };
    const props = {
      ...cached,
      upstreamNameservers: [`127.0.0.1:${upstream.port}`],
      nodeLocalDNS: { ...caching, outsideCache: caching.cache },
      resilience: true,
      ...more,
      authoritativeDNS: { ttl: 1, ...caching, ...more.authoritativeDNS },
    };
    const { cluster, cache: node } = await dns.both(props, { api: url });
    const at = (queried: string) => Promise.all([cluster, node].map(({ port }) => addresses({ name: queried, port })));
    expect([await at(asked), await at(name)]).toEqual([
      ["10.96.1.1", "10.96.1.1"],
      [good, good],
    ]);
    api.remove("services", "cart", "shop");
    await until("a denial in both", 10, async () => (await at(asked)).every((each) => each === "NXDOMAIN"));
  });

  it("as many other names as fit do not take a pinned one away, nor do pinned ones each other", async () => {
    // CoreDNS keeps all of these in one of its 256 shards.
    const ofOneShard = [302, 441, 548, 650, 962, 1398, 1440, 1619].map((i) => `p${i}.outside.example`);
    const pinnedNames = [name, ...ofOneShard];
    const { port } = await cache({ pinnedNames });
    const at = (asked: string) => addresses({ name: asked, port });
    const popular = Array.from({ length: 20 }, (_, i) => `popular${i}.outside.example`);
    for (const each of [...pinnedNames, ...popular]) expect(await at(each)).toBe(good);
    // Each of 256 shards has four entries, and drops any one of them for the next.
    for (let i = 0; i < 2000; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => at(`other${i + j}.outside.example`)));
    upstream.answer = () => ({ rcode: 2 });
    await isOld(port);
    expect(await Promise.all(pinnedNames.map(at))).toEqual(pinnedNames.map(() => good));
    const left = await Promise.all(popular.map(at));
    expect(left.filter((each) => each !== good)).not.toEqual([]);
  });

  it("errors of a kind are logged once in a while, and counted", async () => {
    const logged = async (resilience?: ClusterDnsProps["resilience"]) => {
      const running = await cache(resilience);
      // The cluster DNS is where nothing listens.
      for (let i = 0; i < 40; i++) await ask({ name: `a${i}.b.svc.cluster.local`, port: running.port });
      return () => (running.said().match(/plugin\/errors: \d+ a\d+\.b\./g) ?? []).length;
    };
    const [each, few] = [await logged(), await logged(true)];
    await until("each error", 10, async () => each() === 40);
    // The first may have been one of CoreDNS's own queries.
    expect(few()).toBeLessThanOrEqual(1);
  });

  it("their number follows", async () => {
    const running = await cache({ consolidateErrors: "2s" });
    const said = await until("the number of errors", 20, async () => {
      await ask({ name: "a.b.svc.cluster.local", port: running.port });
      return / (\d+) errors like '([^']+)'/.exec(running.said()) ?? undefined;
    });
    expect(Number(said[1])).toBeGreaterThan(1);
    expect(said[2]).toBe("connection refused$");
  });

  it("beyond max_concurrent, queries are refused at once", async () => {
    upstream.answer = () => "silence";
    const few = (corefile: Corefile): Corefile =>
      corefile.map((block) => ({
        ...block,
        plugins: block.plugins.map((each) => ({
          ...each,
          options: each.options.map((option) => (option.name === "max_concurrent" ? { ...option, args: [5] } : option)),
        })),
      }));
    const { port, said } = await cache(true, few);
    const codes: string[] = [];
    const asking = Array.from({ length: 20 }, async (_, i) =>
      codes.push((await ask({ name: `q${i}.outside.example`, port })).rcode),
    );
    // CoreDNS's own query, which looks for loops, may be under way as well.
    const refused = () => codes.filter((code) => code === "REFUSED").length;
    await until("fifteen refusals", 10, async () => refused() >= 15);
    await until("the error", 10, async () => said().includes("concurrent queries exceeded maximum 5"));
    upstream.answer = () => [good];
    await Promise.all(asking);
    expect(codes.length - refused()).toBeLessThanOrEqual(5);
  });
});
