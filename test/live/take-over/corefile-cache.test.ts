import { expect, it } from "vitest";
import { caching, expectTaken, fromCorefile } from "./from-corefile";

const times = { timeout: "2s", responseTTL: "10s", failureRecheck: "5s" };
const ofCorp = "cache success ttl 0; ours: success ttl 30 (corp.local)";
it.each<[what: string, cache: string, said: object | undefined, left?: string]>([
  ["ours", "cache 30", undefined],
  ["CoreDNS's own TTLs", "cache", { success: { ttl: 3600 }, denial: { ttl: 1800 } }],
  ["both", "cache { success 5000 60; denial 100 }", { success: { capacity: 5000, ttl: 60 }, denial: { ttl: 1800 } }],
  ["no negative", "cache 60 { disable denial }", { success: { ttl: 60 } }, "cache denial ttl 0; ours: denial ttl 30"],
  ["what CoreDNS cannot read", "cache 30 { prefetch 30% }", undefined, "cache prefetch 30%"],
  ["what 0 turns off", "cache 30 { prefetch 0; serve_stale 0s }", undefined],
  [
    "what serve_stale and prefetch say",
    "cache 30 { prefetch 10 2m 20%; serve_stale 2h verify 2s 10s 5s; serve_stale_policy prefer_positive }",
    {
      prefetch: { amount: 10, duration: "2m", percentage: 20 },
      serveStale: { duration: "2h", refresh: "verify", ...times, preferPositive: true },
    },
  ],
  ["serve_stale's defaults", "cache 30 { serve_stale }", { serveStale: { duration: "1h", refresh: "immediate" } }],
  ["of one zone", "cache 30 corp.local", undefined, "cache only for corp.local"],
  ["not one", "cache 30 { disable success corp.local }", undefined, ofCorp],
  // CoreDNS heeds the last line.
  ["not one of two", "cache 30 { disable success a.local; disable success corp.local }", undefined, ofCorp],
  ["more than ours knows", "cache 30 { keepttl }", undefined, "cache keepttl"],
])("the cache for names outside the cluster: %s", (_, cache, cached, ...left) => {
  const { said, left: found } = fromCorefile(caching(cache));
  expect((said as { authoritativeDNS?: { cache?: object } }).authoritativeDNS?.cache).toEqual(cached);
  expect(found).toEqual(expect.arrayContaining(left));
});

it("a cache keeps the cluster's names for less than they say", () =>
  expectTaken(caching("cache { success 9984 9 }"), {
    authoritativeDNS: { ttl: 9, cache: { success: { ttl: 9 }, denial: { ttl: 1800 } } },
    nodeLocalDNS: { outsideCache: { success: { ttl: 9 }, denial: { ttl: 1800 } } },
  }));
