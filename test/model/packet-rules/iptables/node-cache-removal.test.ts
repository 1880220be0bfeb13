import { expect, test } from "vitest";
import { renderNodeCacheRemoval } from "../../../../src/model/packet-rules/iptables/node-cache-removal";

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
