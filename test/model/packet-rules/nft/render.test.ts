import ipaddr from "ipaddr.js";
import { pastCacheAddress } from "../../../../src/model/query-path/link-addresses";
import { expect, test } from "vitest";
import { thresholdsOf } from "../../../../src/model/agent-config/thresholds";
import { defaults } from "../../../../src/model/defaults";
import { renderNft } from "../../../../src/model/packet-rules/nft/render";
import type { RuleInput } from "../../../../src/model/packet-rules/rule-input";
import { nftRuleSet, rows } from "../rows";

function chain(overrides: Partial<RuleInput>, name: string): string[] {
  const { chains, listeners } = nftRuleSet(overrides);
  const text = renderNft(chains, { pods: listeners, host: [] }, 10_000);
  const body = new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*)\\n\\t\\}`).exec(text)?.[1] ?? "";
  return body
    .split("\n")
    .map((line) => line.trim())
    .slice(1);
}

test.each([
  ["10.96.0.10", {}],
  ["169.254.20.10", {}],
  ["169.254.20.10", { interception: "link-local" }],
] as const)("NOTRACK where the cache's socket is, for pods whose switch is on: %s, %j", (address, own) => {
  const asked = (protocol: string) => `ip daddr ${address} ${protocol} dport 53 ip daddr . meta l4proto @pods4`;
  const connection = "ip saddr . tcp sport . ip daddr";
  expect(
    chain(own, "prerouting-raw").filter(
      (line) => line.startsWith(`ip daddr ${address} `) && /@pods4 (?!ip daddr (!= )?@)/.test(line),
    ),
  ).toEqual([
    `${asked("udp")} socket wildcard 0 fib daddr type local notrack return`,
    `${asked("tcp")} tcp flags & (fin | syn | rst | ack) == syn socket wildcard 0 fib daddr type local update @connections4 { ${connection} } notrack return`,
    `${asked("tcp")} ${connection} @connections4 socket transparent 0 fib daddr type local update @connections4 { ${connection} } notrack return`,
  ]);
});

test.each(rows.filter(([, { packetFilter }]) => packetFilter === "nftables"))(
  "%s: rules name only sets and counters that are there",
  (_name, own) => {
    const { chains, listeners } = nftRuleSet({ ...own, queryLimit: 100 });
    const text = renderNft(chains, { pods: listeners, host: listeners }, 10_000);
    const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);
    const there = all(/^\t(?:set|counter) (\S+) /gm);
    const named = [...all(/ @(?!th,)([\w-]+)/g), ...all(/ counter name "(\S+)"/g)];
    expect(named.filter((name) => !there.includes(name))).toEqual([]);
  },
);

test("what our own way past the cache sends is answered to this node", () => {
  expect(chain({}, "postrouting-nat").filter((line) => line.endsWith("masquerade"))).toEqual(
    ["169.254.20.10", "10.96.0.10", "169.254.20.12"].map((source) => `oifname != "lo" ip saddr ${source} masquerade`),
  );
});

test("what is not DNS meets few rules", () => {
  const return53 = (ports: string) => `meta nfproto ipv4 ${ports} return`;
  expect(chain({}, "prerouting-raw")[1]).toBe(return53("th dport != 53"));
  expect(chain({}, "input-raw")[0]).toBe(return53("th dport != 53"));
  expect(chain({}, "input-delivered")[0]).toBe(return53("th dport != 53"));
  for (const name of ["postrouting-last", "input-last"]) expect(chain({}, name)[0]).toBe(return53("th sport != 53"));
});

const refusing = (icmp: string, quoted: string) =>
  `${icmp} type destination-unreachable ${icmp} code port-unreachable ${quoted}`;
const question = "udp length >= 25 @th,80,1 0 @th,96,16 1";
const opening = "tcp flags & (fin | syn | rst | ack) == syn";

test("a hang: to a cache that has just answered; past one that is silent, as long as the cluster DNS is not; else to it", () => {
  const asked = "ip daddr 10.96.0.10 udp dport 53 ip daddr . meta l4proto @pods4";
  const silent = "ip daddr @silent4 ip daddr != @untried4 meta nfproto";
  const accepted = "socket wildcard 0 fib daddr type local";
  expect(chain({}, "prerouting-raw").filter((line) => line.includes("10.96.0.10 udp"))).toEqual([
    `${asked} ip daddr @live4 ${accepted} notrack return`,
    `${asked} ${silent} @past-live ${question} ${accepted} counter name "silent-udp-10.96.0.10" return`,
    `${asked} ${silent} != @past-tried ${question} ${accepted} counter name "silent-udp-10.96.0.10" return`,
    `${asked} ${accepted} notrack return`,
  ]);
});

test("a query counts as asked once nothing can drop it, on its way to the cache or past it", () => {
  const noted = (form: string) => [
    `meta nfproto ipv4 ip daddr @silent4 ip daddr @untried4 ${form} update @untried4 { ip daddr timeout 10ms } add @live4 { ip daddr timeout 10ms } update @hung4 { ip daddr }`,
    `meta nfproto ipv4 ip daddr != @silent4 ip daddr != @hung4 ${form} add @live4 { ip daddr timeout 50ms } update @untried4 { ip daddr } add @silent4 { ip daddr }`,
    `meta nfproto ipv4 ip daddr != @silent4 ${form} add @silent4 { ip daddr } update @hung4 { ip daddr }`,
  ];
  expect(chain({}, "input-delivered")).toEqual([
    expect.stringContaining("return"),
    "meta nfproto ipv4 ip daddr @live4 return",
    "meta nfproto ipv4 ip daddr != { 169.254.20.10, 10.96.0.10 } return",
    ...noted(question),
    ...noted(opening),
  ]);
  const past = (flow: string, form: string) =>
    `meta nfproto ${flow.replace("FORM", `meta nfproto != @past-tried ${form}`)} add @past-tried { meta nfproto } add @past-live { meta nfproto timeout 300ms }`;
  const translated = "ipv4 FORM ct direction original ct mark & 0x00001000 == 0x00001000";
  const ofService = "ipv4 ip saddr != 169.254.20.12 FORM ct original ip daddr 10.96.0.10 ct original proto-dst 53";
  expect(chain({}, "postrouting-nat").filter((line) => line.includes("past-tried"))).toEqual([
    past(translated, question),
    past(translated, opening),
    past(ofService, question),
    past(ofService, opening),
  ]);
  const ofCache = (line: string) => line.includes("ip daddr 169.254.20.12 ") && line.includes("past-tried");
  const asked = (protocol: string, form: string) =>
    past(`ip daddr 169.254.20.12 ${protocol} dport 53 FORM`, form).replace(/^meta nfproto /, "");
  expect(chain({}, "output-raw").filter(ofCache)).toEqual([asked("udp", question), asked("tcp", opening)]);
  const ipvs = { interception: "link-local", kubeProxyMode: "ipvs" } as const;
  expect(chain(ipvs, "output-raw").filter(ofCache)).toEqual([]);
  expect(chain(ipvs, "postrouting-nat")[0]).toBe(past(ofService.replace("10.96.0.10", "169.254.20.10"), question));
});

test.each([
  ["IPv4", {}, "169.254.20.10", refusing("icmp", "@th,136,8 17 @th,192,32 0xa9fe140a @th,240,16 53")],
  [
    "IPv6",
    { serviceIPs: ["fd00:96::a"], linkLocalIPs: ["fd00:169:254:20::10"] },
    "fd00:169:254:20::10",
    refusing("icmpv6", "@th,112,8 17 @th,256,128 0xfd000169025400200000000000000010 @th,400,16 53"),
  ],
])("what shows that a server answers, and that no socket is there, %s", (family, addresses, address, refused) => {
  const [ip, n] = family === "IPv4" ? ["ip", 4] : ["ip6", 6];
  const of = (name: string) =>
    chain(addresses, name).filter((line) => line.includes(`${ip} saddr ${address} `) && !line.includes("notrack"));
  const lives = (protocol: string, form: string, live: string, ended: string[], key = `${ip} saddr`) => [
    `${ip} saddr ${address} ${protocol} sport 53 ${form}update @${live} { ${key} }`,
    ...ended.map(
      (sign) =>
        `${ip} saddr ${address} ${protocol} sport 53 ${key} @${sign} ${form}update @${sign} { ${key} timeout 10ms }`,
    ),
  ];
  // kube-proxy refuses what the cache asks in the same words, and what others ask that no watchdog leads to the cache.
  const ofOthers = `${ip} daddr != { ${pastCacheAddress(address)} } meta nfproto @watched`;
  const gone = `oifname "lo" ${ip} saddr ${address} ${ofOthers} ${refused}`;
  expect(of("output-raw")).toEqual([
    `${gone} add @silent${n} { ${ip} saddr } delete @untried${n} { ${ip} saddr }`,
    `${gone} delete @live${n} { ${ip} saddr }`,
    ...lives("udp", "", `live${n}`, [`silent${n}`, `hung${n}`]),
    ...lives("tcp", "tcp flags & psh == psh ", `live${n}`, [`silent${n}`, `hung${n}`]),
  ]);
  const past = [
    ...lives("udp", "ct direction reply ", "past-live", ["past-tried"], "meta nfproto"),
    ...lives("tcp", "tcp flags & psh == psh ct direction reply ", "past-live", ["past-tried"], "meta nfproto"),
  ];
  expect(of("postrouting-last").slice(-4)).toEqual(past);
  expect(of("input-last")).toEqual(past);
  const ofCache = chain(addresses, "input-last").filter((line) =>
    line.includes(`${ip} saddr ${pastCacheAddress(address)} `),
  );
  expect(ofCache).toHaveLength(4);
});

test("the node's own processes: to the cache while a watchdog says so and the cache is not silent", () => {
  expect(chain({}, "output-raw").filter((line) => line.includes("daddr 169.254.20.11"))).toEqual(
    ["update @watched { meta nfproto }", "drop"].map(
      (what) => `ip saddr 169.254.20.11 ip daddr 169.254.20.11 udp dport 53 ${what}`,
    ),
  );
  const led = chain({}, "output-raw").filter((line) => line.includes("@host4") && line.includes("notrack"));
  expect(led).toEqual([
    "ip daddr 169.254.20.10 udp dport 53 ip daddr . meta l4proto @host4 meta nfproto @watched ip daddr @live4 fib daddr type local notrack return",
    "ip daddr 169.254.20.10 udp dport 53 ip daddr . meta l4proto @host4 meta nfproto @watched fib daddr type local notrack return",
    ...[`ip daddr @live4 ${opening}`, opening, "ip saddr . tcp sport . ip daddr @connections4"].map(
      (match) =>
        `ip daddr 169.254.20.10 tcp dport 53 ip daddr . meta l4proto @host4 meta nfproto @watched ${match} fib daddr type local update @connections4 { ip saddr . tcp sport . ip daddr } notrack return`,
    ),
    "ip daddr 10.96.0.10 udp dport 53 ip daddr . meta l4proto @host4 meta nfproto @watched ip daddr @live4 fib daddr type local notrack return",
    "ip daddr 10.96.0.10 udp dport 53 ip daddr . meta l4proto @host4 meta nfproto @watched fib daddr type local notrack return",
  ]);
});

test("counted are questions in form and opened connections, each with its client, and what answers them", () => {
  const of = (name: string) => chain({}, name).filter((line) => line.includes("10.96.0.10"));
  expect(of("input-raw")).toEqual([
    'iifname != "lo" ip daddr 10.96.0.10 udp dport 53 udp length >= 25 @th,80,1 0 @th,96,16 1 ct state untracked counter name "requests-udp-10.96.0.10" update @asked4 { ip daddr . meta l4proto . ip saddr }',
    'iifname != "lo" ip daddr 10.96.0.10 tcp dport 53 tcp flags & (fin | syn | rst | ack) == syn ct state untracked counter name "requests-tcp-10.96.0.10" update @asked4 { ip daddr . meta l4proto . ip saddr }',
  ]);
  expect(of("postrouting-last").slice(0, 2)).toEqual([
    'oifname != "lo" ip saddr 10.96.0.10 udp sport 53 ct state untracked counter name "replies-udp-10.96.0.10" update @answered4 { ip saddr . meta l4proto . ip daddr }',
    'oifname != "lo" ip saddr 10.96.0.10 tcp sport 53 tcp flags & (syn | ack) == syn | ack ct state untracked counter name "replies-tcp-10.96.0.10" update @answered4 { ip saddr . meta l4proto . ip daddr }',
  ]);
});

test("a limit comes before whatever counts, and its sets are there with it alone", () => {
  const of = (overrides: Partial<RuleInput>) => chain(overrides, "input-raw").filter((line) => line.includes("rates"));
  expect(of({})).toEqual([]);
  const limit =
    "update @rates4 { ip saddr limit rate over 100/second burst 100 packets } update @limited4 { ip saddr }";
  const limits = of({ queryLimit: 100 });
  expect(limits).toHaveLength(4);
  expect(limits.slice(0, 2)).toEqual([
    `iifname != "lo" ip daddr 169.254.20.10 udp dport 53 ${question} ${limit} counter name "limited-udp-169.254.20.10" drop`,
    `iifname != "lo" ip daddr 169.254.20.10 tcp dport 53 ${opening} ${limit} counter name "limited-tcp-169.254.20.10" drop`,
  ]);
  expect(chain({ queryLimit: 100 }, "input-raw").slice(1, 5)).toEqual(limits);
  const sets = (overrides: Partial<RuleInput>) =>
    renderNft(nftRuleSet(overrides).chains, { pods: [], host: [] }, 10_000).match(/(?<=set )(rates|limited)\d(?= )/g) ??
    [];
  expect(sets({})).toEqual([]);
  expect(sets({ queryLimit: 100 })).toEqual(["rates4", "limited4", "rates6", "limited6"]);
});

test("link-local: what no socket takes gets the service IP, and a mark by which its reply is known", () => {
  const own = { interception: "link-local" } as const;
  expect(chain(own, "prerouting-raw").filter((line) => /53 counter name/.test(line))).toEqual([
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

// One's complement, as checksums are: what a refusal quotes has the same sum afterwards.
test.each([
  ["10.96.0.10", "169.254.20.10"],
  ["fd00:96::a", "fd00:169:254:20::10"],
])("kube-proxy's refusal of a connection to %s reaches the cache", (service, linkLocal) => {
  const own = { serviceIPs: [service], linkLocalIPs: [linkLocal] };
  const [rule = ""] = chain(own, "input-after-nat").filter((line) => line.includes(" set 0x"));
  const [, was = "", to = "", difference = ""] =
    /saddr (\S+) .* @th,\d+,\d+ set 0x([0-9a-f]+) @th,\d+,16 set (\d+)$/.exec(rule) ?? [];
  const words = (hex: string) => (hex.match(/..../g) ?? []).map((word) => Number.parseInt(word, 16));
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0) % 0xffff;
  const bytes = ipaddr.parse(was).toByteArray();
  expect(sum([...words(to), Number(difference)])).toBe(sum(words(Buffer.from(bytes).toString("hex"))));
  expect(to).toBe(Buffer.from(ipaddr.parse(pastCacheAddress(linkLocal)).toByteArray()).toString("hex"));
});

test("ipvs: what no socket takes is sent to the service IP by NAT, for that is an address of the node itself", () => {
  const own = { interception: "link-local", kubeProxyMode: "ipvs" } as const;
  const both = (rule: string) => [rule, rule.replace("udp", "tcp")];
  expect(chain(own, "prerouting-nat")).toEqual(both("ip daddr 169.254.20.10 udp dport 53 dnat ip to 10.96.0.10:53"));
  expect(chain(own, "prerouting-mangle")).toEqual([]);
  const ipv6 = { serviceIPs: ["fd00:96::a"], linkLocalIPs: ["fd00:169:254:20::10"] };
  const ofIPv6 = both("ip6 daddr fd00:169:254:20::10 udp dport 53 dnat ip6 to [fd00:96::a]:53");
  expect(chain({ ...own, ...ipv6 }, "prerouting-nat")).toEqual(ofIPv6);
});

test("draining: nothing leads to a socket", () => {
  expect(chain({ interception: "link-local", cache: false }, "prerouting-raw").join()).not.toContain("socket");
});

test("the mark bit is the one configured, and the others stay as they are", () => {
  const text = chain({ interception: "link-local", markBit: 2 ** 31 }, "prerouting-mangle").join();
  expect(text).toContain("ct mark | 0x80000000");
  expect(text).toContain("meta mark & 0x7fffffff");
});

test("rules that are written again lead the node's own processes on without waiting for the watchdog", () => {
  const { chains, listeners } = nftRuleSet();
  const written = (host: typeof listeners) => renderNft(chains, { pods: listeners, host }, 35_000);
  expect(written(listeners)).toContain("timeout 35000ms; elements = { ipv4 }; }");
  expect(written([])).toContain("timeout 35000ms; }");
});

// nft refuses `5.6s`.
test.each(Object.entries({ "35s": 35_000, "30.5s": 30_500, "30000.5ms": 30_001 }))(
  "timeouts in units that nft reads: hostTimeout %s",
  (hostTimeout, expected) => {
    const { hostTimeoutMs } = thresholdsOf({ ...defaults.watchdogThresholds, hostTimeout });
    const text = renderNft([], { pods: [], host: [] }, hostTimeoutMs);
    expect(Number(/set watched .* timeout (\d+)ms;/.exec(text)?.[1])).toBe(expected);
  },
);
