import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { asksOtherClusters } from "../../../src/model/corefile/authoritative";
import { renderCorefile } from "../../../src/model/corefile/render";
import type { AuthoritativeDnsOptions } from "../../../src/model/props/authoritative-dns";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { blockOf } from "./block-of";
import { authoritativeCorefileOf } from "../../../rig/coredns/corefile-of";

const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;

function corefile(more: Partial<ClusterDnsProps> = {}, options: AuthoritativeDnsOptions = {}): string {
  return renderCorefile(authoritativeCorefileOf({ ...facts, ...more, authoritativeDNS: options }));
}

const servers = ["9.9.9.9", "[2620:fe::fe]:5353"];
const kept = { success: { capacity: 4096, ttl: 300 }, denial: { capacity: 1024, ttl: 10 } };
const verified = { duration: "12h", timeout: "2s", responseTTL: "10s", failureRecheck: "5s", preferPositive: true };
const immediate = { duration: "1h", refresh: "immediate", failureRecheck: "5s" } as const;
it.each<[what: string, facts: Partial<ClusterDnsProps>, options: AuthoritativeDnsOptions]>([
  ["pods: verified", {}, { pods: "verified" }],
  ["ttl", {}, { ttl: 5 }],
  ["clusterDomain", { clusterDomain: "k8s.example" }, {}],
  ["upstreamNameservers and policy", { upstreamNameservers: servers, upstreamPolicy: "sequential" }, {}],
  ["DNS over TLS", { upstreamNameservers: ["9.9.9.9", "2620:fe::fe"], upstreamTLSServerName: "dns.quad9.net" }, {}],
  ["hostAliases", { hostAliases: [{ ip: "10.1.1.1", hostnames: ["a.example", "b.example"] }] }, {}],
  ["cache sizes and TTLs", {}, { cache: kept }],
  ["prefetch", {}, { cache: { prefetch: { amount: 3 } } }],
  ["prefetch in full", {}, { cache: { prefetch: { amount: 3, duration: "30s", percentage: 25 } } }],
  ["serve_stale", {}, { cache: { serveStale: "12h" } }],
  ["serve_stale verify in full", {}, { cache: { serveStale: verified } }],
  ["serve_stale immediate", {}, { cache: { serveStale: immediate } }],
])("an option changes its directive, and nothing else: %s", (_, more, options) => {
  const [before, after] = [corefile(), corefile(more, options)].map((text) => text.split("\n"));
  const changes = (sign: string, lines: string[] = [], others: string[] = []) =>
    lines.filter((line) => !others.includes(line)).map((line) => `${sign} ${line.trim()}`);
  expect([...changes("-", before, after), ...changes("+", after, before)].join("\n")).toMatchSnapshot();
});

describe("stub domains", () => {
  const [corp, z, ofA] = [["10.1.2.3", "[fd00:1::3]:5353"], ["10.1.1.1"], ["10.1.1.2"]] as const;
  const stubDomains = { "z.example": z, "corp.example": corp, "a.z.example": ofA };
  const text = corefile({ stubDomains });

  it("have the cache of all other names, and servers of their own; one in another comes before it", () => {
    const block = blockOf(text, "corp.example");
    expect(block.split(" {")[0]).toBe(".:53 a.z.example:53 corp.example:53 z.example:53");
    expect(block.match(/forward .*(?= \{)/g)).toEqual([
      "forward a.z.example 10.1.1.2",
      "forward corp.example 10.1.2.3 [fd00:1::3]:5353",
      "forward z.example 10.1.1.1",
      "forward . /etc/resolv.conf",
    ]);
  });

  it("do not depend on their order in the file", () => {
    const reversed = Object.fromEntries(Object.entries(stubDomains).toReversed());
    expect(corefile({ stubDomains: reversed })).toBe(text);
  });
});

// On the host's network it is the node's: its names, at addresses such as 127.0.1.1, for every pod.
it("host aliases do not include /etc/hosts", () => {
  expect(corefile({ hostAliases: [{ ip: "10.1.1.1", hostnames: ["a.example"] }] })).toContain("hosts /dev/null . {");
});

it("a zone below the cluster domain is passed on to where a rule may lead there", () => {
  const zones = { "lab.cluster.local": { records: { www: { A: ["10.1.1.1"] } } } };
  const rewrites = [{ from: "old.shop.svc.cluster.local", to: "www.lab.cluster.local" }];
  const passed = (more: Partial<ClusterDnsProps>) => /fallthrough (in-addr.*)/.exec(corefile({ zones, ...more }))?.[1];
  expect(passed({})).toBe("in-addr.arpa ip6.arpa");
  expect(passed({ rewrites })).toBe("in-addr.arpa ip6.arpa lab.cluster.local");
});

it.each([
  ["multicluster clusterset.local", true],
  ["namespaces shop", false],
])("whether other clusters are asked: kubernetes { %s }", (option, isAsked) => {
  const blocks = `clusterset.local {\n kubernetes clusterset.local {\n  noendpoints\n  ${option}\n }\n}`;
  const { authoritativeDns } = clusterOf({ ...facts, authoritativeDNS: { corefile: { blocks } } }).components;
  expect(authoritativeDns && asksOtherClusters(authoritativeDns.names)).toBe(isAsked);
});
