import { describe, expect, it } from "vitest";
import { renderCorefile } from "../../../src/model/corefile/render";
import type { AuthoritativeDnsOptions } from "../../../src/model/props/authoritative-dns";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { blockOf } from "./block-of";
import { authoritativeCorefileOf } from "../../../rig/coredns/corefile-of";

const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;

function corefile(more: Partial<ClusterDnsProps> = {}, options: AuthoritativeDnsOptions = {}): string {
  return renderCorefile(authoritativeCorefileOf({ ...facts, ...more, authoritativeDNS: options }));
}

// coredns.yaml.base of Kubernetes; bufsize besides, a longer lameduck, and no `reload`: its ConfigMap never changes.
it("is Kubernetes' own, with kubeadm's cache", () => {
  expect(corefile()).toMatchInlineSnapshot(`
    ".:53 {
        errors
        health {
            lameduck 15s
        }
        ready
        bufsize 1232
        kubernetes cluster.local in-addr.arpa ip6.arpa {
            pods insecure
            fallthrough in-addr.arpa ip6.arpa
            ttl 30
        }
        prometheus :9153
        forward . /etc/resolv.conf {
            max_concurrent 1000
        }
        cache {
            success 9984 30
            denial 9984 30
            disable success cluster.local
            disable denial cluster.local
        }
        loop
        loadbalance
    }
    "
  `);
});

describe("an option changes its directive, and nothing else", () => {
  it.each<[what: string, facts: Partial<ClusterDnsProps>, options: AuthoritativeDnsOptions]>([
    ["pods: verified", {}, { pods: "verified" }],
    ["ttl", {}, { ttl: 5 }],
    ["clusterDomain", { clusterDomain: "k8s.example" }, {}],
    [
      "upstreamNameservers and policy",
      { upstreamNameservers: ["9.9.9.9", "[2620:fe::fe]:5353"], upstreamPolicy: "sequential" },
      {},
    ],
    ["DNS over TLS", { upstreamNameservers: ["9.9.9.9", "2620:fe::fe"], upstreamTLSServerName: "dns.quad9.net" }, {}],
    ["hostAliases", { hostAliases: [{ ip: "10.1.1.1", hostnames: ["a.example", "b.example"] }] }, {}],
    [
      "cache sizes and TTLs",
      {},
      { cache: { success: { capacity: 4096, ttl: 300 }, denial: { capacity: 1024, ttl: 10 } } },
    ],
    ["prefetch", {}, { cache: { prefetch: { amount: 3 } } }],
    ["prefetch in full", {}, { cache: { prefetch: { amount: 3, duration: "30s", percentage: 25 } } }],
    ["serve_stale", {}, { cache: { serveStale: "12h" } }],
  ])("%s", (_, more, options) => {
    const before = corefile().split("\n");
    const after = corefile(more, options).split("\n");
    const changes = [
      ...before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`),
      ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`),
    ];
    expect(changes.join("\n")).toMatchSnapshot();
  });
});

describe("a stub domain", () => {
  const stubDomains = { "z.example": ["10.1.1.1"], "corp.example": ["10.1.2.3", "[fd00:1::3]:5353"] };

  it("has a block of its own", () => {
    expect(blockOf(corefile({ stubDomains }), "corp.example")).toMatchInlineSnapshot(`
      "corp.example:53 {
          errors
          bufsize 1232
          prometheus :9153
          forward . 10.1.2.3 [fd00:1::3]:5353 {
              max_concurrent 1000
          }
          cache {
              success 9984 30
              denial 9984 30
          }
          loop
          loadbalance
      }
      "
    `);
  });

  it("stands in the order of names, not of the file", () => {
    const zones = corefile({ stubDomains }).match(/^\S+(?=:53 )/gm);
    expect(zones).toEqual([".", "corp.example", "z.example"]);
  });

  it("knows the host aliases that lie in it, and only those", () => {
    const hostAliases = [{ ip: "10.1.1.1", hostnames: ["db.Corp.example", "other.example", "notcorp.example"] }];
    expect(blockOf(corefile({ stubDomains, hostAliases }), "corp.example")).toContain("10.1.1.1 db.Corp.example\n");
    expect(blockOf(corefile({ stubDomains, hostAliases }), "z.example")).not.toContain("hosts");
  });
});

// On the host's network it is the node's: its names, at addresses such as 127.0.1.1, for every pod.
it("host aliases come without what /etc/hosts says", () => {
  expect(corefile({ hostAliases: [{ ip: "10.1.1.1", hostnames: ["a.example"] }] })).toContain("hosts /dev/null {");
});
