import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

it("clusterDNS that is missing is one problem, whatever the cache's address", () => {
  const nodeLocalDNS = { linkLocalAddresses: ["169.254.20.10"] };
  expect(problemsOf({ clusterDNS: [], nodeLocalDNS })).toEqual(["clusterDNS: has 0 entries; at least 1 needed"]);
});

describe("the cluster's addresses: what is refused, and what a user reads", () => {
  it.each<[message: string, props: object]>([
    [
      'clusterDNS[0]: "10.96.0" is not an IP address; accepted: IPv4 (10.96.0.10) or IPv6 (fd00:96::a)',
      { clusterDNS: ["10.96.0"] },
    ],
    [
      'clusterDNS[0]: "169.254.1.10" is a linkLocal address, which no Service can have; use the cluster IP of Service kube-dns',
      { clusterDNS: ["169.254.1.10"] },
    ],
    [
      'clusterDNS[0]: "127.0.0.1" is a loopback address, which no Service can have; use the cluster IP of Service kube-dns',
      { clusterDNS: ["127.0.0.1"] },
    ],
    [
      'clusterDNS[0]: "224.0.0.1" is a multicast address, which no Service can have; use the cluster IP of Service kube-dns',
      { clusterDNS: ["224.0.0.1"] },
    ],
    [
      'clusterDNS[0]: "fe80::1" is a linkLocal address, which no Service can have; use the cluster IP of Service kube-dns',
      { clusterDNS: ["fe80::1"] },
    ],
    [
      'clusterDNS[0]: "::ffff:10.96.0.10" is an ipv4Mapped address, which no Service can have; use the cluster IP of Service kube-dns',
      { clusterDNS: ["::ffff:10.96.0.10"] },
    ],
    [
      'clusterDNS[0]: "FD00:96:0::A" is not the canonical spelling (RFC 5952); use fd00:96::a',
      { clusterDNS: ["FD00:96:0::A"] },
    ],
    [
      "clusterDNS[1]: is a second IPv4 address; accepted: one address, or one of each family",
      { clusterDNS: ["10.96.0.10", "10.96.0.11"] },
    ],
    [
      "clusterDNS[1]: is a second IPv6 address; accepted: one address, or one of each family",
      { clusterDNS: ["fd00:96::a", "fd00:96::b"] },
    ],
    ["clusterDNS: has 0 entries; at least 1 needed", { clusterDNS: [] }],
    ["clusterDNS: has 3 entries; at most 2 accepted", { clusterDNS: ["10.96.0.10", "fd00:96::a", "10.96.0.11"] }],
    [
      'clusterDNS[0]: "10.97.0.10" is not in serviceCIDRs (10.96.0.0/16); use an address of the DNS Service inside them',
      { clusterDNS: ["10.97.0.10"], serviceCIDRs: ["10.96.0.0/16"] },
    ],
    [
      'clusterDNS[1]: "fd00:96::a" is not in serviceCIDRs (10.96.0.0/16); use an address of the DNS Service inside them',
      { clusterDNS: ["10.96.0.10", "fd00:96::a"], serviceCIDRs: ["10.96.0.0/16"] },
    ],
    [
      'clusterDNS[0]: "10.96.0.1" is the first or last address of its service CIDR, which only Service kubernetes can have; use another, usually the tenth',
      { clusterDNS: ["10.96.0.1"], serviceCIDRs: ["10.96.0.0/16"] },
    ],
    [
      'clusterDNS[0]: "10.96.255.255" is the first or last address of its service CIDR, which only Service kubernetes can have; use another, usually the tenth',
      { clusterDNS: ["10.96.255.255"], serviceCIDRs: ["10.96.0.0/16"] },
    ],
    [
      'clusterDNS[0]: "fd00:96::" is the first or last address of its service CIDR, which only Service kubernetes can have; use another, usually the tenth',
      { clusterDNS: ["fd00:96::"], serviceCIDRs: ["fd00:96::/112"] },
    ],
    [
      'serviceCIDRs[0]: "10.96.0.0" is not a CIDR; accepted: 10.96.0.0/16, fd00:96::/112 ...',
      { serviceCIDRs: ["10.96.0.0"] },
    ],
    [
      "serviceCIDRs[1]: is a second IPv4 address; accepted: one address, or one of each family",
      { serviceCIDRs: ["10.96.0.0/16", "10.97.0.0/16"] },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "somewhere" is not an IP address; accepted: IPv4 (10.96.0.10) or IPv6 (fd00:96::a)',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["somewhere"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "8.8.8.8" is a unicast address; accepted: 169.254.0.0/16 or a private one',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["8.8.8.8"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "fe80::1" is a linkLocal address; accepted: a unique local one (fd00::/8); link-local IPv6 needs a scope',
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { linkLocalAddresses: ["fe80::1"] },
        clusterDNS: ["fd00:96::a"],
      },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "169.254.255.255", or rather 169.255.0.0 after it, is a unicast address; accepted: 169.254.0.0/16 or a private one',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["169.254.255.255"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "169.254.169.254", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["169.254.169.254"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "169.254.169.253", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["169.254.169.253"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "10.96.0.10", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["10.96.0.10"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "10.96.0.9", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["10.96.0.9"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "10.96.0.50", or one of the two addresses after it, is in serviceCIDRs, where the API server may give it to a Service; choose one outside',
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { linkLocalAddresses: ["10.96.0.50"] },
        serviceCIDRs: ["10.96.0.0/16"],
      },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "fd00:169:254:20::20" is IPv6, but clusterDNS is IPv4 only',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["fd00:169:254:20::20"] } },
    ],
    [
      "nodeLocalDNS.linkLocalAddresses[1]: is a second IPv4 address; accepted: one address, or one of each family",
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["169.254.1.1", "169.254.2.1"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses: "fd00:169:254:20::10", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", clusterDNS: ["fd00:169:254:20::10"] },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses: "fd00:169:254:20::10", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", clusterDNS: ["fd00:169:254:20::11"] },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses: "fd00:169:254:20::10", or one of the two addresses after it, is in use; choose three that nothing else answers on',
      { agentImage: "registry.example/agent:1", clusterDNS: ["fd00:169:254:20::12"] },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "169.254.255.254", or rather 169.255.0.0 after it, is a unicast address; accepted: 169.254.0.0/16 or a private one',
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["169.254.255.254"] } },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses[0]: "10.95.255.254", or one of the two addresses after it, is in serviceCIDRs, where the API server may give it to a Service; choose one outside',
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { linkLocalAddresses: ["10.95.255.254"] },
        serviceCIDRs: ["10.96.0.0/16"],
      },
    ],
    [
      'nodeLocalDNS.linkLocalAddresses: "fd00:169:254:20::10", or one of the two addresses after it, is in serviceCIDRs, where the API server may give it to a Service; choose one outside',
      { agentImage: "registry.example/agent:1", clusterDNS: ["fd00:169:254::a"], serviceCIDRs: ["fd00:169:254::/48"] },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([message]);
  });
});

it.each<[what: string, props: object]>([
  ["IPv6 first", { clusterDNS: ["fd00:96::a", "10.96.0.10"] }],
  [
    "service CIDRs that hold the addresses",
    { clusterDNS: ["10.96.0.10", "fd00:96::a"], serviceCIDRs: ["10.96.0.0/16", "fd00:96::/112"] },
  ],
  ["an address that is not IANA private", { clusterDNS: ["198.18.0.10"] }],
  [
    "a link-local address of another network",
    { agentImage: "registry.example/agent:1", nodeLocalDNS: { linkLocalAddresses: ["10.255.255.1"] } },
  ],
  [
    "one configured, one default",
    {
      clusterDNS: ["10.96.0.10", "fd00:96::a"],
      agentImage: "registry.example/agent:1",
      nodeLocalDNS: { linkLocalAddresses: ["169.254.30.10"] },
    },
  ],
  [
    "the default's neighbour, where no cache is",
    { clusterDNS: ["fd00:169:254:20::11"], nodeLocalDNS: { state: "disabled" } },
  ],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});

it("names a family once, although clusterDNS has two addresses of it", () => {
  const nodeLocalDNS = { linkLocalAddresses: ["fd00:169:254:20::20"] };
  const clusterDNS = ["10.96.0.10", "10.96.0.11"];
  expect(problemsOf({ agentImage: "registry.example/agent:1", clusterDNS, nodeLocalDNS })).toContain(
    'nodeLocalDNS.linkLocalAddresses[0]: "fd00:169:254:20::20" is IPv6, but clusterDNS is IPv4 only',
  );
});
