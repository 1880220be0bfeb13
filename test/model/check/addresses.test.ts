import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

/** What is wrong with a value. */
const noIP = "VALUE is not an IP address; accepted: IPv4 (10.96.0.10) or IPv6 (fd00:96::a)";
const isA = (range: string) =>
  `VALUE is a ${range} address, which no Service can have; use the cluster IP of Service kube-dns`;
const second = (family: string) => `is a second ${family} address; accepted: one address, or one of each family`;
const outside = "VALUE is not in serviceCIDRs (10.96.0.0/16); use an address of the DNS Service inside them";
const edge =
  "VALUE is the first or last address of its service CIDR, which only Service kubernetes can have; use another, usually the tenth";
const inUse = (whose: string) =>
  `VALUE, or one of the two addresses after it, is in use: ${whose}; choose three that nothing else answers on`;
const allocated =
  "VALUE, or one of the two addresses after it, is in serviceCIDRs, where the API server may give it to a Service; choose one outside";
const afterwards =
  "VALUE, or rather 169.255.0.0 after it, is a unicast address; accepted: 169.254.0.0/16 or a private one";

const link = "nodeLocalDNS.linkLocalAddresses";
const service = { serviceCIDRs: ["10.96.0.0/16"] };

it.each<[path: string, of: string[], message: string, more?: object]>([
  ["clusterDNS[0]", ["10.96.0"], noIP],
  ["clusterDNS[0]", ["169.254.1.10"], isA("linkLocal")],
  ["clusterDNS[0]", ["127.0.0.1"], isA("loopback")],
  ["clusterDNS[0]", ["224.0.0.1"], isA("multicast")],
  ["clusterDNS[0]", ["fe80::1"], isA("linkLocal")],
  ["clusterDNS[0]", ["::ffff:10.96.0.10"], isA("ipv4Mapped").replace(" a ", " an ")],
  ["clusterDNS[0]", ["FD00:96:0::A"], "VALUE is not the canonical spelling (RFC 5952); use fd00:96::a"],
  ["clusterDNS[1]", ["10.96.0.10", "10.96.0.11"], second("IPv4")],
  ["clusterDNS[1]", ["fd00:96::a", "fd00:96::b"], second("IPv6")],
  // One problem, whatever the cache's address.
  ["clusterDNS", [], "has 0 entries; accepted: 1 to 2", { [link]: ["169.254.20.10"] }],
  ["clusterDNS", ["10.96.0.10", "fd00:96::a", "10.96.0.11"], "has 3 entries; accepted: 1 to 2"],
  ["clusterDNS[0]", ["10.97.0.10"], outside, service],
  ["clusterDNS[1]", ["10.96.0.10", "fd00:96::a"], outside, service],
  ["clusterDNS[0]", ["10.96.0.1"], edge, service],
  ["clusterDNS[0]", ["10.96.255.255"], edge, service],
  ["clusterDNS[0]", ["fd00:96::"], edge, { serviceCIDRs: ["fd00:96::/112"] }],
  ["serviceCIDRs[0]", ["10.96.0.0"], "VALUE is not a CIDR; accepted: 10.96.0.0/16, fd00:96::/112 ..."],
  ["serviceCIDRs[1]", ["10.96.0.0/16", "10.97.0.0/16"], second("IPv4")],
  [`${link}[0]`, ["8.8.8.8"], "VALUE is a unicast address; accepted: 169.254.0.0/16 or a private one"],
  [
    `${link}[0]`,
    ["fe80::1"],
    "VALUE is a linkLocal address; accepted: a unique local one (fd00::/8); link-local IPv6 needs a scope",
    { clusterDNS: ["fd00:96::a"] },
  ],
  [`${link}[0]`, ["169.254.255.255"], afterwards],
  [`${link}[0]`, ["169.254.255.254"], afterwards],
  [`${link}[0]`, ["169.254.169.254"], inUse("169.254.169.254 is of instance metadata")],
  [`${link}[0]`, ["169.254.169.253"], inUse("169.254.169.253 is of AWS's resolver")],
  [`${link}[0]`, ["10.96.0.10"], inUse("10.96.0.10 is of clusterDNS")],
  [`${link}[0]`, ["10.96.0.9"], inUse("10.96.0.10 is of clusterDNS")],
  [`${link}[0]`, ["169.254.25.10"], inUse("169.254.25.10 is of kubespray's node cache")],
  [`${link}[0]`, ["10.96.0.50"], allocated, service],
  [`${link}[0]`, ["10.95.255.254"], allocated, service],
  [`${link}[0]`, ["fd00:169:254:20::20"], "VALUE is IPv6, but clusterDNS is IPv4 only"],
  [`${link}[1]`, ["169.254.1.1", "169.254.2.1"], second("IPv4")],
])("addresses that are refused, and what a user reads: %s of %j %s", (path, of, message, more) => {
  const [key = "", index] = path.split(/\[|\]/);
  const said = message.replace("VALUE", JSON.stringify(of[Number(index)]));
  expect(problemsOf({ agentImage, [key]: of, ...more })).toEqual([`${path}: ${said}`]);
});

it.each<[clusterDNS: string, message: string, more?: object]>([
  ["fd00:169:254:20::10", inUse("fd00:169:254:20::10 is of clusterDNS")],
  ["fd00:169:254:20::11", inUse("fd00:169:254:20::11 is of clusterDNS")],
  ["fd00:169:254:20::12", inUse("fd00:169:254:20::12 is of clusterDNS")],
  ["fd00:169:254::a", allocated, { serviceCIDRs: ["fd00:169:254::/48"] }],
])("the default link-local address beside clusterDNS %s: %s", (clusterDNS, message, more) => {
  expect(problemsOf({ agentImage, clusterDNS: [clusterDNS], ...more })).toEqual([
    `${link}: ${message.replace("VALUE", '"fd00:169:254:20::10"')}`,
  ]);
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
  const props = { agentImage, clusterDNS: ["10.96.0.10", "10.96.0.11"], [link]: ["fd00:169:254:20::20"] };
  expect(problemsOf(props)).toContain(`${link}[0]: "fd00:169:254:20::20" is IPv6, but clusterDNS is IPv4 only`);
});
