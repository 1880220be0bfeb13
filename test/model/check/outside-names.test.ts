import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

describe("names outside the cluster: what is refused, and what a user reads", () => {
  it.each<[message: string, props: object]>([
    [
      'clusterDomain: "Cluster.Local" is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "Cluster.Local" },
    ],
    [
      'clusterDomain: "cluster.local." is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "cluster.local." },
    ],
    [
      'clusterDomain: "cluster local" is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "cluster local" },
    ],
    [
      'clusterDomain: "in-addr.arpa" is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "in-addr.arpa" },
    ],
    [
      'clusterDomain: "arpa" is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "arpa" },
    ],
    [
      'clusterDomain: "health.node-local-dns.internal" is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "health.node-local-dns.internal" },
    ],
    [
      'clusterDomain: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.local" is not a cluster domain; accepted: a lower case DNS name such as cluster.local',
      { clusterDomain: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.local" },
    ],
    [
      'clusterDomain: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaa... has 247 characters; at most 121, or names of Services would have more than 253',
      {
        clusterDomain:
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      },
    ],
    [
      `clusterDomain: "${"a".repeat(63)}.${"b".repeat(12)}... has 122 characters; at most 121, or names of Services would have more than 253`,
      { clusterDomain: `${"a".repeat(63)}.${"b".repeat(58)}` },
    ],
    [
      'upstreamNameservers[0]: "dns.google" is not a server; accepted: IP, IP:port or [IPv6]:port (a name would need DNS first)',
      { upstreamNameservers: ["dns.google"] },
    ],
    [
      'upstreamNameservers[0]: "9.9.9.9:0" is not a server; accepted: IP, IP:port or [IPv6]:port (a name would need DNS first)',
      { upstreamNameservers: ["9.9.9.9:0"] },
    ],
    [
      'upstreamNameservers[0]: "10.96.0.10:5353" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      { upstreamNameservers: ["10.96.0.10:5353"] },
    ],
    [
      'upstreamNameservers[0]: "::ffff:10.96.0.10" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      { upstreamNameservers: ["::ffff:10.96.0.10"] },
    ],
    [
      'upstreamNameservers[0]: "169.254.20.10" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      { upstreamNameservers: ["169.254.20.10"] },
    ],
    [
      'upstreamNameservers[0]: "169.254.20.12" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      { upstreamNameservers: ["169.254.20.12"] },
    ],
    [
      'upstreamNameservers[0]: "127.0.0.53" is a loopback address, where a pod reaches only itself; name a server outside',
      { upstreamNameservers: ["127.0.0.53"] },
    ],
    [
      'upstreamNameservers[0]: "::ffff:127.0.0.53" is a loopback address, where a pod reaches only itself; name a server outside',
      { upstreamNameservers: ["::ffff:127.0.0.53"] },
    ],
    [
      'upstreamNameservers[0]: "[::1]:53" is a loopback address, where a pod reaches only itself; name a server outside',
      { upstreamNameservers: ["[::1]:53"] },
    ],
    [
      'upstreamNameservers[0]: "0.0.0.0" is an unspecified address, where a pod reaches only itself; name a server outside',
      { upstreamNameservers: ["0.0.0.0"] },
    ],
    [
      'upstreamNameservers[0]: "fe80::1" is a link-local address, which IPv6 cannot reach without a scope; name another address of the server',
      { upstreamNameservers: ["fe80::1"] },
    ],
    [
      "upstreamNameservers: has 16 entries; at most 15 accepted",
      {
        upstreamNameservers: [
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
          "9.9.9.9",
        ],
      },
    ],
    ["upstreamNameservers: has 0 entries; at least 1 needed", { upstreamNameservers: [] }],
    [
      'upstreamNameservers[0]: "fd00:169:254:20::10" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      {
        clusterDNS: ["10.96.0.10", "fd00:96::a"],
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { linkLocalAddresses: ["169.254.1.1"] },
        upstreamNameservers: ["fd00:169:254:20::10"],
      },
    ],
    [
      'upstreamNameservers[0]: "169.254.1.1" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { linkLocalAddresses: ["169.254.1.1"] },
        upstreamNameservers: ["169.254.1.1"],
      },
    ],
    [
      "upstreamTLSServerName: needs upstreamNameservers: the resolvers of a node are asked without TLS",
      { upstreamTLSServerName: "dns.quad9.net" },
    ],
    [
      'upstreamNameservers[0]: "8.8.8.8:53" is the port of DNS without TLS, but upstreamTLSServerName asks with TLS; leave the port out for 853 (RFC 7858), or leave upstreamTLSServerName out',
      { upstreamNameservers: ["8.8.8.8:53", "8.8.4.4", "1.1.1.1:8853"], upstreamTLSServerName: "dns.google" },
    ],
    [
      'upstreamTLSServerName: "dns quad9" is not a DNS name',
      { upstreamNameservers: ["9.9.9.9"], upstreamTLSServerName: "dns quad9" },
    ],
    ["stubDomains.corp.example: has 0 servers; accepted: 1 to 15", { stubDomains: { "corp.example": [] } }],
    [
      "stubDomains.corp.example: has 16 servers; accepted: 1 to 15",
      {
        stubDomains: {
          "corp.example": [
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
            "10.1.1.1",
          ],
        },
      },
    ],
    [
      'stubDomains.corp.example[0]: "ns.corp.example" is not a server; accepted: IP, IP:port or [IPv6]:port (a name would need DNS first)',
      { stubDomains: { "corp.example": ["ns.corp.example"] } },
    ],
    [
      'stubDomains.corp.example[0]: "10.96.0.10" is the cluster\'s own DNS: it would ask itself in a loop; name a server outside',
      { stubDomains: { "corp.example": ["10.96.0.10"] } },
    ],
    [
      'stubDomains.corp example: "corp example" is not a zone; accepted: a DNS name such as corp.example',
      { stubDomains: { "corp example": ["10.1.1.1"] } },
    ],
    [
      'stubDomains..: "." is not a zone; accepted: a DNS name such as corp.example',
      { stubDomains: { ".": ["10.1.1.1"] } },
    ],
    [
      'stubDomains.{$HOME}: "{$HOME}" is not a zone; accepted: a DNS name such as corp.example',
      { stubDomains: { "{$HOME}": ["10.1.1.1"] } },
    ],
    [
      'stubDomains.a}\nlog: "a}\\nlog" holds a line break or another control character; leave it out',
      { stubDomains: { "a}\nlog": ["10.1.1.1"] } },
    ],
    [
      'stubDomains.cluster.local: "cluster.local" is in the cluster domain cluster.local, which authoritative DNS answers',
      { stubDomains: { "cluster.local": ["10.1.1.1"] } },
    ],
    [
      'stubDomains.svc.cluster.local: "svc.cluster.local" is in the cluster domain cluster.local, which authoritative DNS answers',
      { stubDomains: { "svc.cluster.local": ["10.1.1.1"] } },
    ],
    [
      'stubDomains.in-addr.arpa: "in-addr.arpa" is, or contains, what the cluster DNS answers itself; name a zone below it',
      { stubDomains: { "in-addr.arpa": ["10.1.1.1"] } },
    ],
    [
      'stubDomains.arpa: "arpa" is, or contains, what the cluster DNS answers itself; name a zone below it',
      { stubDomains: { arpa: ["10.1.1.1"] } },
    ],
    [
      'stubDomains.health.node-local-dns.internal: "health.node-local-dns.internal" is, or contains, what the cluster DNS answers itself; name a zone below it',
      { stubDomains: { "health.node-local-dns.internal": ["10.1.1.1"] } },
    ],
    [
      'hostAliases[0].ip: "registry" is not an IP address; accepted: IPv4 (10.96.0.10) or IPv6 (fd00:96::a)',
      { hostAliases: [{ ip: "registry", hostnames: ["registry.example"] }] },
    ],
    [
      'hostAliases[0].hostnames[0]: "registry example" is not a DNS name',
      { hostAliases: [{ ip: "10.1.1.1", hostnames: ["registry example"] }] },
    ],
    [
      'hostAliases[0].hostnames[0]: "# comment" is not a DNS name',
      { hostAliases: [{ ip: "10.1.1.1", hostnames: ["# comment"] }] },
    ],
    [
      'hostAliases[0].hostnames[0]: "db.cluster.local" is in the cluster domain; make it a Service, or choose a name outside cluster.local',
      { hostAliases: [{ ip: "10.1.1.1", hostnames: ["db.cluster.local"] }] },
    ],
    [
      "hostAliases[0].hostnames: has 0 entries; at least 1 needed",
      { hostAliases: [{ ip: "10.1.1.1", hostnames: [] }] },
    ],
    [
      "hostAliases[0].ip: is required but missing; accepted: IPv4 or IPv6 address",
      { hostAliases: [{ hostnames: ["registry.example"] }] },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([message]);
  });
});

it.each<[what: string, props: object]>([
  [
    "fifteen servers",
    {
      upstreamNameservers: [
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
        "9.9.9.9",
      ],
    },
  ],
  [
    "servers on other ports, of both families",
    { upstreamNameservers: ["9.9.9.9:5353", "[2620:fe::fe]:5353", "2620:fe::fe"] },
  ],
  ["a private top-level domain", { stubDomains: { internal: ["10.1.1.1"] } }],
  ["a cluster domain in it", { clusterDomain: "k8s.internal" }],
  [
    "a stub domain that contains the cluster domain",
    { clusterDomain: "k8s.acme.example", stubDomains: { "acme.example": ["10.1.1.1"] } },
  ],
  ["the longest cluster domain", { clusterDomain: `${"a".repeat(63)}.${"b".repeat(57)}` }],
  ["a reverse zone of another network", { stubDomains: { "1.10.in-addr.arpa": ["10.1.1.1"] } }],
  [
    "a name like others, but not in the cluster domain",
    { hostAliases: [{ ip: "10.1.1.1", hostnames: ["my-cluster.local", "_sip.example."] }] },
  ],
  ["cloud resolvers at link-local addresses", { upstreamNameservers: ["169.254.169.253"] }],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});

it("names both spellings of one zone", () => {
  expect(problemsOf({ stubDomains: { "corp.example": ["10.1.1.1"], "Corp.Example.": ["10.1.1.2"] } })).toEqual([
    'stubDomains.corp.example: "corp.example" is listed twice, in two spellings; keep one',
    'stubDomains.Corp.Example.: "Corp.Example." is listed twice, in two spellings; keep one',
  ]);
});
