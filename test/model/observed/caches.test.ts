import { describe, expect, it } from "vitest";
import { fromCorefile } from "../../../src/model/observed/corefile-finding";

/** What a Corefile's caches become in a cluster file, and what is listed. */
function caches(text: string, isKept = false) {
  const { findings, unsaid } = fromCorefile(text, "C", isKept);
  return {
    said: findings
      .filter(({ path: [, key], isDefault }) => key === "cache" && isDefault !== true)
      .map(({ path, value }) => `${path.slice(2).join(".")}: ${JSON.stringify(value)}`),
    unsaid: unsaid.map((what) => what.replace(/^C: /, "")),
  };
}

const root = (cache: string) => `.:53 {
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    ttl 30
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
  }
  forward . 8.8.8.8
  ${cache}
}
`;

const stub = (zone: string, cache: string) => `${zone}:53 {\n  forward . 10.0.0.5\n  ${cache}\n}\n`;

const options = (...lines: string[]) => `{\n    ${lines.join("\n    ")}\n  }`;

describe("the cache for names outside the cluster", () => {
  it.each<[what: string, cache: string, said: string[], unsaid?: string[]]>([
    ["ours", "cache 30", []],
    ["CoreDNS's own TTLs", "cache", ["success.ttl: 3600", "denial.ttl: 1800"]],
    [
      "CoreDNS's own TTL of one class",
      `cache ${options("success 5000 60", "denial 5000")}`,
      ["success.capacity: 5000", "success.ttl: 60", "denial.capacity: 5000", "denial.ttl: 1800"],
    ],
    ["a capacity that CoreDNS rounds up to its smallest", `cache 30 ${options("success 100", "denial 0")}`, []],
    ["none", "", [], ["no cache; ours: authoritativeDNS.cache"]],
    [
      "none of negative answers",
      `cache 60 ${options("disable denial")}`,
      ["success.ttl: 60"],
      ["cache: disable denial"],
    ],
    [
      "none of one zone",
      `cache 30 ${options("disable success example.org")}`,
      [],
      ["cache: disable success example.org"],
    ],
    [
      "none of the cluster's names, as ours",
      `cache 30 ${options("disable success cluster.local", "disable denial svc.cluster.local in-addr.arpa")}`,
      [],
    ],
    ["none but of the cluster's names", "cache 5 cluster.local", [], ["cache: only for cluster.local"]],
    ["what 0 turns off", `cache 30 ${options("prefetch 0", "serve_stale 0s")}`, []],
    [
      "all of serve_stale",
      `cache 30 ${options("serve_stale 2h verify 2s 10s 5s", "serve_stale_policy prefer_positive")}`,
      [
        'serveStale: {"duration":"2h","refresh":"verify","timeout":"2s","responseTTL":"10s","failureRecheck":"5s","preferPositive":true}',
      ],
    ],
    [
      "serve_stale without a time to wait, in its other order",
      `cache 30 ${options("serve_stale 2h immediate 10s 5s")}`,
      ['serveStale: {"duration":"2h","refresh":"immediate","responseTTL":"10s","failureRecheck":"5s"}'],
    ],
    [
      "what serve_stale does unless told",
      `cache 30 ${options("serve_stale 2h verify 0s")}`,
      ['serveStale: {"duration":"2h","refresh":"verify"}'],
      ["cache: serve_stale verify without a timeout; ours: 1s", "cache: serve_stale with TTL 0; ours: 30s"],
    ],
  ])("%s", (_, cache, said, unsaid = []) => {
    expect(caches(root(cache))).toEqual({ said, unsaid });
  });

  it("is the one of their block, not of the cluster's", () => {
    const text = `cluster.local:53 {\n  kubernetes cluster.local in-addr.arpa ip6.arpa {\n    ttl 30\n    pods insecure\n    fallthrough in-addr.arpa ip6.arpa\n  }\n  cache 5\n}\n.:53 {\n  forward . 8.8.8.8\n  cache 300\n}\n`;
    expect(caches(text)).toEqual({
      said: ["success.ttl: 300", "denial.ttl: 300"],
      unsaid: ["server block cluster.local: cache 5; ours: none, for these names are answered from memory"],
    });
  });

  it("is its owner's, where CoreDNS is, but shows what a node cache should do", () => {
    const text = root(`cache 60 ${options("disable denial")}`) + stub("corp.example", "cache 600");
    expect(caches(text, true)).toEqual({ said: ["success.ttl: 60"], unsaid: [] });
  });
});

it("a stub domain's cache is listed unless it is the one for all other names", () => {
  const long = `cache 600 ${options("serve_stale 1h verify 2s 10s")}`;
  const text = root(long) + stub("corp.example", "cache 30") + stub("same.example", long) + stub("none.example", "");
  expect(caches(text).unsaid).toEqual([
    "server block corp.example: cache 30; ours: authoritativeDNS.cache",
    "server block none.example: no cache; ours: authoritativeDNS.cache",
  ]);
});
