import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

it("clusterDNS that is missing is one problem, whatever the cache's address", () => {
  const nodeLocalDNS = { linkLocalAddresses: ["169.254.20.10"] };
  expect(problemsOf({ clusterDNS: [], nodeLocalDNS })).toEqual(["clusterDNS: has 0 entries; accepted: 1 to 2"]);
});

const agentImage = "registry.example/agent:1";
const noIP = "is not an IP address; accepted: IPv4 (10.96.0.10) or IPv6 (fd00:96::a)";
const noService = "which no Service can have; use the cluster IP of Service kube-dns";
const second = (family: string) => `is a second ${family} address; accepted: one address, or one of each family`;
const outside = "is not in serviceCIDRs (10.96.0.0/16); use an address of the DNS Service inside them";
const edge =
  "is the first or last address of its service CIDR, which only Service kubernetes can have; use another, usually the tenth";
const inUse = (whose: string) =>
  `, or one of the two addresses after it, is in use: ${whose}; choose three that nothing else answers on`;
const allocated =
  ", or one of the two addresses after it, is in serviceCIDRs, where the API server may give it to a Service; choose one outside";
const afterwards = ", or rather 169.255.0.0 after it, is a unicast address; accepted: 169.254.0.0/16 or a private one";

describe("the cluster's addresses: what is refused, and what a user reads", () => {
  it.each<[clusterDNS: string[], message: string, serviceCIDRs?: string[]]>([
    [["10.96.0"], `[0]: "10.96.0" ${noIP}`],
    [["169.254.1.10"], `[0]: "169.254.1.10" is a linkLocal address, ${noService}`],
    [["127.0.0.1"], `[0]: "127.0.0.1" is a loopback address, ${noService}`],
    [["224.0.0.1"], `[0]: "224.0.0.1" is a multicast address, ${noService}`],
    [["fe80::1"], `[0]: "fe80::1" is a linkLocal address, ${noService}`],
    [["::ffff:10.96.0.10"], `[0]: "::ffff:10.96.0.10" is an ipv4Mapped address, ${noService}`],
    [["FD00:96:0::A"], '[0]: "FD00:96:0::A" is not the canonical spelling (RFC 5952); use fd00:96::a'],
    [["10.96.0.10", "10.96.0.11"], `[1]: ${second("IPv4")}`],
    [["fd00:96::a", "fd00:96::b"], `[1]: ${second("IPv6")}`],
    [[], ": has 0 entries; accepted: 1 to 2"],
    [["10.96.0.10", "fd00:96::a", "10.96.0.11"], ": has 3 entries; accepted: 1 to 2"],
    [["10.97.0.10"], `[0]: "10.97.0.10" ${outside}`, ["10.96.0.0/16"]],
    [["10.96.0.10", "fd00:96::a"], `[1]: "fd00:96::a" ${outside}`, ["10.96.0.0/16"]],
    [["10.96.0.1"], `[0]: "10.96.0.1" ${edge}`, ["10.96.0.0/16"]],
    [["10.96.255.255"], `[0]: "10.96.255.255" ${edge}`, ["10.96.0.0/16"]],
    [["fd00:96::"], `[0]: "fd00:96::" ${edge}`, ["fd00:96::/112"]],
  ])("clusterDNS %j%s", (clusterDNS, message, serviceCIDRs) => {
    expect(problemsOf({ clusterDNS, ...(serviceCIDRs && { serviceCIDRs }) })).toEqual([`clusterDNS${message}`]);
  });

  it.each<[serviceCIDRs: string[], message: string]>([
    [["10.96.0.0"], '[0]: "10.96.0.0" is not a CIDR; accepted: 10.96.0.0/16, fd00:96::/112 ...'],
    [["10.96.0.0/16", "10.97.0.0/16"], `[1]: ${second("IPv4")}`],
  ])("serviceCIDRs %j%s", (serviceCIDRs, message) => {
    expect(problemsOf({ serviceCIDRs })).toEqual([`serviceCIDRs${message}`]);
  });

  it.each<[linkLocalAddresses: string[], message: string, props?: object]>([
    [["8.8.8.8"], " is a unicast address; accepted: 169.254.0.0/16 or a private one"],
    [
      ["fe80::1"],
      " is a linkLocal address; accepted: a unique local one (fd00::/8); link-local IPv6 needs a scope",
      { clusterDNS: ["fd00:96::a"] },
    ],
    [["169.254.255.255"], afterwards],
    [["169.254.255.254"], afterwards],
    [["169.254.169.254"], inUse("169.254.169.254 is of instance metadata")],
    [["169.254.169.253"], inUse("169.254.169.253 is of AWS's resolver")],
    [["10.96.0.10"], inUse("10.96.0.10 is of clusterDNS")],
    [["10.96.0.9"], inUse("10.96.0.10 is of clusterDNS")],
    [["169.254.25.10"], inUse("169.254.25.10 is of kubespray's node cache")],
    [["10.96.0.50"], allocated, { serviceCIDRs: ["10.96.0.0/16"] }],
    [["10.95.255.254"], allocated, { serviceCIDRs: ["10.96.0.0/16"] }],
    [["fd00:169:254:20::20"], " is IPv6, but clusterDNS is IPv4 only"],
  ])("linkLocalAddresses %j%s", (linkLocalAddresses, message, props) => {
    expect(problemsOf({ agentImage, nodeLocalDNS: { linkLocalAddresses }, ...props })).toEqual([
      `nodeLocalDNS.linkLocalAddresses[0]: "${linkLocalAddresses[0]}"${message}`,
    ]);
  });

  it("linkLocalAddresses have one address of each family", () => {
    const nodeLocalDNS = { linkLocalAddresses: ["169.254.1.1", "169.254.2.1"] };
    expect(problemsOf({ agentImage, nodeLocalDNS })).toEqual([`nodeLocalDNS.linkLocalAddresses[1]: ${second("IPv4")}`]);
  });

  it.each<[clusterDNS: string, message: string, serviceCIDRs?: string[]]>([
    ["fd00:169:254:20::10", inUse("fd00:169:254:20::10 is of clusterDNS")],
    ["fd00:169:254:20::11", inUse("fd00:169:254:20::11 is of clusterDNS")],
    ["fd00:169:254:20::12", inUse("fd00:169:254:20::12 is of clusterDNS")],
    ["fd00:169:254::a", allocated, ["fd00:169:254::/48"]],
  ])("the default link-local address beside clusterDNS %s%s", (clusterDNS, message, serviceCIDRs) => {
    expect(problemsOf({ agentImage, clusterDNS: [clusterDNS], ...(serviceCIDRs && { serviceCIDRs }) })).toEqual([
      `nodeLocalDNS.linkLocalAddresses: "fd00:169:254:20::10"${message}`,
    ]);
  });
});

const dual = ["10.96.0.10", "fd00:96::a"];
it.each<[what: string, props: object]>([
  ["IPv6 first", { clusterDNS: ["fd00:96::a", "10.96.0.10"] }],
  ["service CIDRs that hold the addresses", { clusterDNS: dual, serviceCIDRs: ["10.96.0.0/16", "fd00:96::/112"] }],
  ["an address that is not IANA private", { clusterDNS: ["198.18.0.10"] }],
  ["a link-local address of another network", { agentImage, "nodeLocalDNS.linkLocalAddresses": ["10.255.255.1"] }],
  ["one set, one default", { clusterDNS: dual, agentImage, "nodeLocalDNS.linkLocalAddresses": ["169.254.30.10"] }],
  ["the default's neighbour, but no cache", { clusterDNS: ["fd00:169:254:20::11"], "nodeLocalDNS.state": "disabled" }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));

it("names a family once, although clusterDNS has two addresses of it", () => {
  const nodeLocalDNS = { linkLocalAddresses: ["fd00:169:254:20::20"] };
  const clusterDNS = ["10.96.0.10", "10.96.0.11"];
  expect(problemsOf({ agentImage, clusterDNS, nodeLocalDNS })).toContain(
    'nodeLocalDNS.linkLocalAddresses[0]: "fd00:169:254:20::20" is IPv6, but clusterDNS is IPv4 only',
  );
});
