import { expect, test } from "vitest";
import { thresholdsOf } from "../../../../src/model/agent-config/thresholds";
import { renderNft } from "../../../../src/model/packet-rules/nft/render";
import type { RuleInput } from "../../../../src/model/packet-rules/rule-input";
import { nftRuleSet } from "../rows";

function chain(overrides: Partial<RuleInput>, name: string): string[] {
  const { chains, listeners } = nftRuleSet(overrides);
  const text = renderNft(chains, { pods: listeners, host: [] }, { hostTimeoutMs: 10_000, answeringMs: 5_000 });
  const body = new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*)\\n\\t\\}`).exec(text)?.[1] ?? "";
  return body
    .split("\n")
    .map((line) => line.trim())
    .slice(1);
}

test("service-ip: NOTRACK where the cache's socket is, for pods whose switch is on", () => {
  expect(
    chain({}, "prerouting-raw").filter((line) => line.includes("10.96.0.10 udp") || line.includes("10.96.0.10 tcp")),
  ).toEqual([
    "ip daddr 10.96.0.10 udp dport 53 ip daddr . meta l4proto @pods4 socket wildcard 0 fib daddr type local notrack return",
    "ip daddr 10.96.0.10 tcp dport 53 ip daddr . meta l4proto @pods4 tcp flags & (fin | syn | rst | ack) == syn socket wildcard 0 fib daddr type local update @connections4 { ip saddr . tcp sport . ip daddr } notrack return",
    "ip daddr 10.96.0.10 tcp dport 53 ip daddr . meta l4proto @pods4 ip saddr . tcp sport . ip daddr @connections4 socket transparent 0 fib daddr type local update @connections4 { ip saddr . tcp sport . ip daddr } notrack return",
  ]);
});

test("the node's own processes: to the cache while it answers somebody, whom the kernel alone cannot", () => {
  const of = (pattern: RegExp) => chain({}, "output-raw").filter((line) => pattern.test(line));
  expect(of(/@host4/)[0]).toBe(
    "ip daddr 169.254.20.10 udp dport 53 ip daddr . meta l4proto @host4 meta nfproto @answering fib daddr type local notrack return",
  );
  expect(of(/saddr 169.254.20.10 .*update/)).toEqual([
    "ip saddr 169.254.20.10 udp sport 53 update @answering { meta nfproto }",
    "ip saddr 169.254.20.10 tcp sport 53 tcp flags & psh == psh update @answering { meta nfproto }",
  ]);
});

test("counted are questions in form and opened connections, each with its client, and what answers them", () => {
  const of = (name: string) => chain({}, name).filter((line) => line.includes("10.96.0.10"));
  expect(of("input-raw")).toEqual([
    'iifname != "lo" ip daddr 10.96.0.10 udp dport 53 udp length >= 25 @th,80,1 0 @th,96,16 1 ct state untracked counter name "requests-udp-10.96.0.10" update @asked4 { ip daddr . meta l4proto . ip saddr }',
    'iifname != "lo" ip daddr 10.96.0.10 tcp dport 53 tcp flags & (fin | syn | rst | ack) == syn ct state untracked counter name "requests-tcp-10.96.0.10" update @asked4 { ip daddr . meta l4proto . ip saddr }',
  ]);
  expect(of("postrouting-last")).toEqual([
    'oifname != "lo" ip saddr 10.96.0.10 udp sport 53 ct state untracked counter name "replies-udp-10.96.0.10" update @answered4 { ip saddr . meta l4proto . ip daddr }',
    'oifname != "lo" ip saddr 10.96.0.10 tcp sport 53 tcp flags & (syn | ack) == syn | ack ct state untracked counter name "replies-tcp-10.96.0.10" update @answered4 { ip saddr . meta l4proto . ip daddr }',
  ]);
});

test("link-local: what no socket takes gets the service IP, and a mark by which its reply is known", () => {
  const own = { interception: "link-local" } as const;
  expect(chain(own, "prerouting-raw").filter((line) => line.includes("set"))).toEqual([
    'ip daddr 169.254.20.10 udp dport 53 counter name "past-udp-169.254.20.10" meta mark set meta mark | 0x00001000 ip daddr set 10.96.0.10 return',
    'ip daddr 169.254.20.10 tcp dport 53 counter name "past-tcp-169.254.20.10" meta mark set meta mark | 0x00001000 ip daddr set 10.96.0.10 return',
  ]);
  expect(chain(own, "prerouting-mangle").filter((line) => line.includes("udp"))).toEqual([
    "ip daddr 10.96.0.10 udp dport 53 ct direction original ct mark & 0x00001000 == 0x00001000 ct mark set ct mark & 0xffffefff",
    "ip daddr 10.96.0.10 udp dport 53 meta mark & 0x00001000 == 0x00001000 ct mark set ct mark | 0x00001000 meta mark set meta mark & 0xffffefff",
  ]);
  expect(chain(own, "postrouting-after-nat")[0]).toBe(
    "ip saddr 10.96.0.10 udp sport 53 ct direction reply ct mark & 0x00001000 == 0x00001000 ip saddr set 169.254.20.10",
  );
});

test("ipvs: what no socket takes is sent to the service IP by NAT, for that is an address of the node itself", () => {
  const own = { interception: "link-local", kubeProxyMode: "ipvs" } as const;
  expect(chain(own, "prerouting-nat")).toEqual([
    "ip daddr 169.254.20.10 udp dport 53 dnat ip to 10.96.0.10:53",
    "ip daddr 169.254.20.10 tcp dport 53 dnat ip to 10.96.0.10:53",
  ]);
  expect(chain(own, "prerouting-mangle")).toEqual([]);
  const ipv6 = { serviceIPs: ["fd00:96::a"], linkLocalIPs: ["fd00:169:254:20::10"] };
  expect(chain({ ...own, ...ipv6 }, "prerouting-nat")).toEqual([
    "ip6 daddr fd00:169:254:20::10 udp dport 53 dnat ip6 to [fd00:96::a]:53",
    "ip6 daddr fd00:169:254:20::10 tcp dport 53 dnat ip6 to [fd00:96::a]:53",
  ]);
});

test("draining: nothing leads to a socket", () => {
  expect(chain({ interception: "link-local", cache: false }, "prerouting-raw").join()).not.toContain("socket");
});

test("the mark bit is the one configured, and the others stay as they are", () => {
  const text = chain({ interception: "link-local", markBit: 2 ** 31 }, "prerouting-mangle").join();
  expect(text).toContain("ct mark | 0x80000000");
  expect(text).toContain("meta mark & 0x7fffffff");
});

// nft refuses `5.6s`.
test.each([
  ["650ms", "35s", [35_000, 5_200]],
  ["1.1s", "30.5s", [30_500, 8_800]],
  ["700.3ms", "30000.5ms", [30_001, 5_603]],
])("timeouts in units that nft reads: probeInterval %s, hostTimeout %s", (probeInterval, hostTimeout, expected) => {
  const text = renderNft([], { pods: [], host: [] }, thresholdsOf({ probeInterval, hostTimeout }));
  const timeoutOf = (set: string) => new RegExp(`set ${set} .* timeout (\\d+)ms;`).exec(text)?.[1];
  expect(["host4", "answering"].map(timeoutOf).map(Number)).toEqual(expected);
});
