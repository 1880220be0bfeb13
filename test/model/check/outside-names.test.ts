import { describe, expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const server = "is not a server; accepted: IP, IP:port or [IPv6]:port (a name would need DNS first)";
const overTLS =
  "to ask over TLS, leave tls:// out, and name the certificate in upstreamTLSServerName, or in tlsServerName of a zone";
const loop = "is the cluster's own DNS: it would ask itself in a loop; name a server outside";
const loopback = "is a loopback address, where a pod reaches only itself; name a server outside";
const answered = "is, or contains, what the cluster DNS answers itself; name a zone below it";
const zone = "is not a zone; accepted: a DNS name such as corp.example";
const ofCluster = "has the cluster's own names, which authoritative DNS answers; name a zone below it";
const domain = "is not a cluster domain; accepted: a lower case DNS name such as cluster.local";

/** One of its two link-local addresses is not the default. */
const ownLink = {
  clusterDNS: ["10.96.0.10", "fd00:96::a"],
  agentImage,
  "nodeLocalDNS.linkLocalAddresses": ["169.254.1.1"],
};

/** What is wrong with a value of a key, and such values. */
type Refused = readonly (readonly [reason: string, ...values: readonly string[]])[];

const domains: Refused = [
  [`${domain}; write "cluster.local"`, "Cluster.Local", "cluster.local."],
  [domain, "cluster local", "in-addr.arpa", "arpa", `${"a".repeat(64)}.local`],
  [domain, "health.node-local-dns.internal"],
];
const servers: Refused = [
  [server, "dns.google", "9.9.9.9:0"],
  [`${server}; ${overTLS}`, "tls://9.9.9.9"],
  [`${server}; there is no key for DNS over HTTPS: ask the server over TLS`, "https://dns.example/dns-query"],
  [`${server}; the node's own servers are asked without upstreamNameservers`, "/etc/resolv.conf"],
  [loop, "10.96.0.10:5353", "::ffff:10.96.0.10", "169.254.20.10", "169.254.20.12"],
  [loopback, "127.0.0.1", "::ffff:127.0.0.53", "[::1]:53"],
  [`${loopback}, or set resolvConf: /run/systemd/resolve/resolv.conf in its place`, "127.0.0.53"],
  ["is an unspecified address, where a pod reaches only itself; name a server outside", "0.0.0.0"],
  ["is a multicast address, where a pod reaches only itself; name a server outside", "224.0.0.251", "ff02::fb"],
  ["is a link-local address, which IPv6 cannot reach without a scope; name another address of the server", "fe80::1"],
];
const stubServers: Refused = [
  [server, "ns.corp.example"],
  [loop, "10.96.0.10"],
];
const stubZones: Refused = [
  [zone, "corp example", "{$HOME}"],
  [`${zone}; servers for all names are upstreamNameservers`, "."],
  [`${zone}; a zone has all names below it: corp.example`, "*.corp.example"],
  [ofCluster, "cluster.local", "svc.cluster.local"],
  [answered, "in-addr.arpa", "arpa", "health.node-local-dns.internal"],
];
const hostnames: Refused = [
  ["is not a DNS name; accepted: a name such as corp.example", "registry example", "# comment"],
  [
    'is not a DNS name; accepted: a name such as corp.example; for all names below, write a zone into zones, with records of "*"',
    "*.apps.example",
  ],
  ["is in the cluster domain; make it a Service, or choose a name outside cluster.local", "db.cluster.local"],
  ["is an address; accepted: a name (hostAliases and records of zones have addresses)", "10.1.1.1", "10.1.1.1."],
];

describe("names outside the cluster: what is refused, and what a user reads", () => {
  it.each<[path: string, props: (value: string) => object, refused: Refused]>([
    ["clusterDomain", (value) => ({ clusterDomain: value }), domains],
    ["upstreamNameservers[0]", (value) => ({ upstreamNameservers: [value] }), servers],
    ["stubDomains.corp.example[0]", (value) => ({ stubDomains: { "corp.example": [value] } }), stubServers],
    ["stubDomains.*", (value) => ({ stubDomains: { [value]: ["10.1.1.1"] } }), stubZones],
    ["hostAliases[0].hostnames[0]", (value) => ({ hostAliases: [{ ip: "10.1.1.1", hostnames: [value] }] }), hostnames],
  ])("values of %s", (path, props, refused) => {
    for (const [reason, ...values] of refused)
      for (const value of values)
        expect(problemsOf(props(value))).toEqual([`${path.replace("*", () => value)}: "${value}" ${reason}`]);
  });

  it.each<[message: string, props: object]>([
    [`clusterDomain: "${"a".repeat(63)}.${"b".repeat(12)}`, { clusterDomain: `${"a".repeat(63)}.${"b".repeat(58)}` }],
    ['upstreamNameservers[0]: "fd00:169:254:20::10"', { ...ownLink, upstreamNameservers: ["fd00:169:254:20::10"] }],
    [`upstreamNameservers[0]: "169.254.1.1" ${loop}`, { ...ownLink, upstreamNameservers: ["169.254.1.1"] }],
    ["upstreamTLSServerName: needs upstreamNameservers: the resolvers of", { upstreamTLSServerName: "dns.quad9.net" }],
    ['"8.8.8.8:53" is', { upstreamNameservers: ["8.8.8.8:53", "8.8.4.4", "1.1.1.1:8"], upstreamTLSServerName: "a.b" }],
    ['upstreamTLSServerName: "dns quad9" is', { upstreamNameservers: ["9.9.9.9"], upstreamTLSServerName: "dns quad9" }],
    ["stubDomains.corp.example: has 0 servers", { stubDomains: { "corp.example": [] } }],
    ["stubDomains.corp.example: has 16 servers", { stubDomains: { "corp.example": many(16, "10.1.1.1") } }],
    ['stubDomains.a}\nlog: "a}\\nlog" holds a line break or another', { stubDomains: { "a}\nlog": ["10.1.1.1"] } }],
    ['hostAliases[0].ip: "registry" is not an', { hostAliases: [{ ip: "registry", hostnames: ["registry.example"] }] }],
  ])("%s", (message, props) => expect(problemsOf(props)).toEqual([expect.stringContaining(message)]));
});

it.each<[what: string, props: object]>([
  ["fifteen servers", { upstreamNameservers: many(15, "9.9.9.9"), stubDomains: { "a.example": many(15, "10.1.1.1") } }],
  ["servers on other ports", { upstreamNameservers: ["9.9.9.9:5353", "[2620:fe::fe]:5353", "2620:fe::fe"] }],
  ["a private top-level domain", { "stubDomains.internal": ["10.1.1.1"] }],
  ["a cluster domain in it", { clusterDomain: "k8s.internal" }],
  ["a stub domain around it", { clusterDomain: "k8s.acme.example", stubDomains: { "acme.example": ["10.1.1.1"] } }],
  ["the longest cluster domain", { clusterDomain: `${"a".repeat(63)}.${"b".repeat(57)}` }],
  ["a reverse zone of another network", { stubDomains: { "1.10.in-addr.arpa": ["10.1.1.1"] } }],
  ["a name like ours", { hostAliases: [{ ip: "10.1.1.1", hostnames: ["my-cluster.local", "_sip.example."] }] }],
  ["cloud resolvers at link-local addresses", { upstreamNameservers: ["169.254.169.253"] }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));

it("names both spellings of one zone", () => {
  expect(problemsOf({ stubDomains: { "corp.example": ["10.1.1.1"], "Corp.Example.": ["10.1.1.2"] } })).toEqual([
    'stubDomains.corp.example: "corp.example" is listed twice, in two spellings; keep one',
    'stubDomains.Corp.Example.: "Corp.Example." is listed twice, in two spellings; keep one',
  ]);
});

function many(count: number, address: string): string[] {
  return Array.from({ length: count }, () => address);
}
