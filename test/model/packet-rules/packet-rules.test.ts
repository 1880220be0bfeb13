import { expect, test } from "vitest";
import { iptablesBackend } from "../../../src/model/packet-rules/iptables-backend";
import { renderNodeCacheRemoval } from "../../../src/model/packet-rules/node-cache";
import { packetRules } from "../../../src/model/packet-rules/packet-rules";
import { probeAddress } from "../../../src/model/packet-rules/probe-address";
import { ruleInput, rows } from "./rows";

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
    const ruleSet = packetRules(own);
    const probes = own.linkLocalIPs.map(probeAddress);
    const rules = ruleSet.chains
      .flatMap(({ rules: all }) => all)
      .filter(({ verdicts }) => verdicts.some(({ kind }) => kind === "notrack"));
    for (const { match } of rules) {
      const isReply = match.sourcePort === 53;
      const isProbe = match.source !== undefined && probes.includes(match.source);
      expect(match.socket !== undefined || match.switch === "host" || isReply || isProbe).toBe(true);
    }
  },
);

test.each([
  ["169.254.20.10", "169.254.20.11"],
  ["10.0.0.255", "10.0.1.0"],
  ["fd00:169:254:20::10", "fd00:169:254:20::11"],
])("probes for %s come from %s", (address, probe) => {
  expect(probeAddress(address)).toBe(probe);
});

test("an address without a partner of its family has no rules", () => {
  expect(() => packetRules(ruleInput({ linkLocalIPs: ["fd00::1"] }))).toThrow(
    "fd00::1 has no service IP of its family among 10.96.0.10",
  );
});

test.each([
  ["the kubelet's hint says nft", { nft: ":KUBE-IPTABLES-HINT - [0:0]\n", legacy: "-A X\n-A Y\n" }, "nft"],
  ["the kubelet's canary says legacy", { nft: "-A X\n-A Y\n", legacy: ":KUBE-KUBELET-CANARY - [0:0]\n" }, "legacy"],
  ["both have it", { nft: ":KUBE-KUBELET-CANARY - [0:0]\n", legacy: ":KUBE-KUBELET-CANARY - [0:0]\n" }, "nft"],
  ["more rules are legacy", { nft: "-A X\n", legacy: "-A X\n-A Y\n" }, "legacy"],
  ["there are none", { nft: "", legacy: "" }, "nft"],
] as const)("iptables' backend, %s", (_why, saved, backend) => {
  expect(iptablesBackend(saved)).toBe(backend);
});

test("node-cache's rules for our addresses go, and nobody else's", () => {
  const own = [
    '-A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -m comment --comment "NodeLocal DNS Cache: skip conntrack" -j NOTRACK',
    "-A OUTPUT -s 169.254.20.10/32 -p tcp -m tcp --sport 8080 -j CT --notrack",
  ];
  const others = [
    "-A PREROUTING -d 10.96.0.99/32 -p udp -m udp --dport 53 -j NOTRACK",
    "-A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -m socket -j NOTRACK",
    "-A NODE-LOCAL-DNS -d 10.96.0.10/32 -p udp -m udp --dport 53 -j NOTRACK",
    "-A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -j DROP",
  ];
  const saved = `*raw\n:PREROUTING ACCEPT [0:0]\n${[...own, ...others].join("\n")}\nCOMMIT\n`;
  expect(renderNodeCacheRemoval(saved, ["169.254.20.10", "10.96.0.10"])).toBe(
    `*raw\n${own.map((rule) => rule.replace("-A", "-D")).join("\n")}\nCOMMIT\n`,
  );
  expect(renderNodeCacheRemoval(saved, ["192.0.2.1"])).toBe("");
});
