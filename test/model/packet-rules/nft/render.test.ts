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

type Part = readonly [own: Partial<RuleInput>, chain: string, lines: RegExp];
const atLink = { interception: "link-local" } as const;
const ipvs = { ...atLink, kubeProxyMode: "ipvs" } as const;
const ofIPv6 = { serviceIPs: ["fd00:96::a"], linkLocalIPs: ["fd00:169:254:20::10"] };
const ofPods = (address: string) => new RegExp(`^ip daddr ${address} .*@pods4 (?!ip daddr (!= )?@)`);
const ofServer = (address: string) => new RegExp(`^(?!.*notrack).*ip6? saddr ${address} `);

test.each<[what: string, ...parts: Part[]]>([
  ["NOTRACK for pods whose switch is on, at the service IP", [{}, "prerouting-raw", ofPods("10.96.0.10")]],
  ["NOTRACK for pods at the link-local address", [{}, "prerouting-raw", ofPods("169.254.20.10")]],
  ["NOTRACK for pods with link-local", [atLink, "prerouting-raw", ofPods("169.254.20.10")]],
  ["what our own way past the cache sends is answered to this node", [{}, "postrouting-nat", /masquerade$/]],
  [
    "a hang: to a cache that has just answered; past one that is silent, as long as the cluster DNS is not; else to it",
    [{}, "prerouting-raw", /10\.96\.0\.10 udp/],
  ],
  ["a query counts as asked once nothing can drop it, on its way to the cache", [{}, "input-delivered", /./]],
  [
    "a query counts as asked on its way past the cache",
    [{}, "postrouting-nat", /past-tried/],
    [{}, "output-raw", /ip daddr 169\.254\.20\.12 .*past-tried/],
  ],
  ["ipvs: a query counts as asked in NAT", [ipvs, "postrouting-nat", /past-tried/], [ipvs, "output-raw", /past-tried/]],
  [
    "what shows that a server answers, and that no socket is there, IPv4",
    [{}, "output-raw", ofServer("169.254.20.10")],
    [{}, "postrouting-last", /past-live|past-tried/],
    [{}, "input-last", /past-live|past-tried/],
  ],
  [
    "what shows that a server answers, and that no socket is there, IPv6",
    [ofIPv6, "output-raw", ofServer("fd00:169:254:20::10")],
    [ofIPv6, "postrouting-last", /past-live|past-tried/],
    [ofIPv6, "input-last", /past-live|past-tried/],
  ],
  ["the watchdog's own probes show it, and go to nobody", [{}, "output-raw", /daddr 169\.254\.20\.11/]],
  ["the node's processes: to the cache while a watchdog says so and it answers", [{}, "output-raw", /@host4.*notrack/]],
  [
    "counted are questions in form and opened connections, each with its client, and what answers them",
    [{}, "input-raw", /10\.96\.0\.10/],
    [{}, "postrouting-last", /10\.96\.0\.10.*counter/],
  ],
  [
    "link-local: what no socket takes gets the service IP, and a mark by which its reply is known",
    [atLink, "prerouting-raw", /53 counter name/],
    [atLink, "prerouting-mangle", /udp/],
    [atLink, "postrouting-after-nat", /udp/],
  ],
  [
    "ipvs: what no socket takes is sent to the service IP by NAT, for that is an address of the node itself",
    [ipvs, "prerouting-nat", /./],
    [ipvs, "prerouting-mangle", /./],
    [{ ...ipvs, ...ofIPv6 }, "prerouting-nat", /./],
  ],
])("%s", (_what, ...parts) => {
  const texts = parts.map(([own, name, lines]) => [`${name}:`, ...chain(own, name).filter((line) => lines.test(line))]);
  expect(texts.flat().join("\n")).toMatchSnapshot();
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

test("what is not DNS meets few rules", () => {
  const return53 = (ports: string) => `meta nfproto ipv4 ${ports} return`;
  expect(chain({}, "prerouting-raw")[1]).toBe(return53("th dport != 53"));
  expect(chain({}, "input-raw")[0]).toBe(return53("th dport != 53"));
  expect(chain({}, "input-delivered")[0]).toBe(return53("th dport != 53"));
  for (const name of ["postrouting-last", "input-last"]) expect(chain({}, name)[0]).toBe(return53("th sport != 53"));
});

const question = "udp length >= 25 @th,80,1 0 @th,96,16 1";
const opening = "tcp flags & (fin | syn | rst | ack) == syn";

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
