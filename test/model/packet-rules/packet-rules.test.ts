import { expect, test } from "vitest";
import { packetRules } from "../../../src/model/packet-rules/packet-rules";
import { pastCacheAddress, probeAddress } from "../../../src/model/query-path/link-addresses";
import type { RuleSet } from "../../../src/model/packet-rules/rule-set";
import { rows } from "./rows";

test.each(rows)("%s: what a rule leads to is on the link, and what listens is what the mode says", (_name, own) => {
  const { link, listeners } = packetRules(own);
  const expected = own.interception === "service-ip" ? [...own.linkLocalIPs, ...own.serviceIPs] : own.linkLocalIPs;
  expect([...new Set(listeners.map(({ address }) => address))].sort()).toEqual(own.cache ? [...expected].sort() : []);
  for (const { address } of listeners) expect(link.addresses).toContain(address);
  for (const address of own.linkLocalIPs) expect(link.addresses).toContain(probeAddress(address));
  expect(link.addresses.some((address) => own.serviceIPs.includes(address))).toBe(
    own.cache && own.interception === "service-ip",
  );
});

test.each(rows)(
  "%s: no rule takes packets from conntrack but for a socket, the host's switch, replies and probes",
  (_name, own) => {
    const probes = own.linkLocalIPs.map(probeAddress);
    for (const match of matchesOf(packetRules(own), "notrack")) {
      const isReply = match.sourcePort === 53;
      const isProbe = match.source !== undefined && probes.includes(match.source);
      const forHost = "switch" in match && match.switch === "host";
      expect(match.socket !== undefined || forHost || isReply || isProbe).toBe(true);
    }
  },
);

test.each(rows)("%s: queries that nobody has translated are refused", (_name, own) => {
  const { packetFilter, kubeProxyMode, interception, cache, serviceIPs, linkLocalIPs } = own;
  const expected = serviceIPs.flatMap((serviceIP, i) =>
    ["udp", "tcp"].flatMap((protocol) => [
      // With ipvs, the service IP is an address of the node.
      ...(packetFilter === "nftables" && kubeProxyMode !== "ipvs"
        ? [{ source: pastCacheAddress(linkLocalIPs[i] ?? ""), destination: serviceIP, protocol }]
        : []),
      ...(interception === "link-local" && cache ? [{ destination: serviceIP, protocol, isNew: true }] : []),
      // Rules of iptables have no address for what goes past the cache.
      ...(packetFilter === "iptables" && interception === "service-ip" && cache
        ? [{ source: serviceIP, destination: serviceIP, protocol, isNew: true }]
        : []),
    ]),
  );
  const asked = expected.map((match) => expect.objectContaining({ ...match, destinationPort: 53 }));
  const found = matchesOf(packetRules(own), "reject");
  expect(found).toHaveLength(asked.length);
  expect(found).toEqual(expect.arrayContaining(asked));
});

/** What the rules match that refuse, or that take packets from conntrack. */
function matchesOf(ruleSet: RuleSet, does: "reject" | "notrack") {
  if (ruleSet.packetFilter === "nftables") {
    const rules = ruleSet.chains.flatMap((chain) => chain.rules);
    return rules.filter(({ statements }) => statements.some(({ kind }) => kind === does)).map(({ match }) => match);
  }
  const rules = ruleSet.families.flatMap(({ chains }) => chains.flatMap((chain) => chain.rules));
  const name = (target: (typeof rules)[number]["target"]) =>
    typeof target === "object" ? Object.keys(target)[0] : target;
  return rules.filter(({ target }) => name(target)?.toLowerCase() === does).map(({ match }) => match);
}
