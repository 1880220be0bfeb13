import { describe, expect, test } from "vitest";
import type { Listener } from "../../../../src/model/packet-rules/listener";
import {
  hasExactJumps,
  isWhole,
  kubeProxyChains,
  renderIptables,
  renderIptablesRemoval,
  tablesThatTurn,
} from "../../../../src/model/packet-rules/iptables/render";
import { ownLines } from "../../../../src/model/packet-rules/iptables/saved";
import { chainName, ownPlaces } from "../../../../src/model/packet-rules/iptables/names";
import type { RuleInput } from "../../../../src/model/packet-rules/rule-input";
import { iptablesRuleSet, rows } from "../rows";

function render(overrides: Partial<RuleInput>, on: "all" | "none" = "all", saved = "", family = "IPv4") {
  const { families, listeners } = iptablesRuleSet(overrides);
  const chains = families.find((one) => one.family === family)?.chains ?? [];
  return renderIptables(chains, on === "all" ? listeners : [], saved);
}

function table(text: string, name: string): string[] {
  const part = text.split(/^\*/m).find((each) => each.startsWith(`${name}\n`)) ?? "";
  return part.split("\n").filter((line) => line.startsWith("-"));
}

const ipvs = { interception: "link-local", kubeProxyMode: "ipvs" } as const;
const throughKubeProxy = { interception: "link-local", kubeProxyMode: "iptables" } as const;
const dual = { serviceIPs: ["10.96.0.10", "fd00:96::a"], linkLocalIPs: ["169.254.20.10", "fd00:169:254:20::10"] };
const udp = / -p udp| -j (RETURN|NODE-LOCAL-DNS)/;

test.each<[what: string, text: string, ...parts: [table: string, lines: RegExp][]]>([
  ["link-local, ipvs: DNAT to the service IP", render(ipvs), ["nat", /^(?!.*(-POST|-HOST))/]],
  ["link-local, iptables: through kube-proxy's own chains", render(throughKubeProxy), ["nat", /^(?!.*(-POST|-HOST))/]],
  ["link-local, left: no RETURN to the socket, and the node's processes go too", render(ipvs, "none"), ["nat", udp]],
  ["draining: the fallback alone", render({ ...ipvs, cache: false }), ["raw", udp], ["filter", udp], ["nat", udp]],
  ["service-ip, KEP-1024: NOTRACK is the switch, with a socket match", render({}), ["raw", /./]],
  ["service-ip, KEP-1024: off, replies have NOTRACK alone", render({}, "none"), ["raw", /./]],
  ["service-ip, KEP-1024: requests and replies are accepted before any policy", render({}), ["filter", /./]],
  ["clients are counted", render({}), ["mangle", /^-A NODE-LOCAL-DNS-IN\b/]],
  ["a limit by source comes before what counts", render({ queryLimit: 100 }), ["mangle", /^-A NODE-LOCAL-DNS-IN\b/]],
  ["each family has its own: IPv6", render(dual, "all", "", "IPv6"), ["raw", udp]],
  ["each family has its own: IPv4", render(dual), ["raw", udp]],
])("%s", (_what, text, ...parts) => {
  const told = parts.map(([name, lines]) => [`${name}:`, ...table(text, name).filter((line) => lines.test(line))]);
  expect(told.flat().join("\n")).toMatchSnapshot();
});

test("kube-proxy's chains are declared where they are missing: an existing one would be emptied", () => {
  expect(render(throughKubeProxy)).toContain(":KUBE-SVC-TCOU7JCQXEZGVUNU - [0:0]");
  const names = ["KUBE-MARK-MASQ", "KUBE-SVC-TCOU7JCQXEZGVUNU", "KUBE-SVC-ERIFXISQEP7F7OF4"];
  const there = `*nat\n${names.map((name) => `:${name} - [0:0]\n`).join("")}COMMIT\n`;
  expect(render(throughKubeProxy, "all", there)).not.toContain(":KUBE-");
});

describe("existing rules", () => {
  const saved = [
    "*filter",
    ":INPUT ACCEPT [3:180]",
    ":NODE-LOCAL-DNS-IN - [0:0]",
    ":NODE-LOCAL-DNS-OLD - [0:0]",
    "[3:180] -A INPUT -j NODE-LOCAL-DNS-IN",
    "[0:0] -A INPUT -s 192.0.2.1/32 -j DROP",
    "[0:0] -A INPUT -j NODE-LOCAL-DNS-IN",
    "[0:0] -A INPUT -p udp -j NODE-LOCAL-DNS-OLD",
    "COMMIT",
    "",
  ].join("\n");

  test("one jump stays, its second copy and jumps of another version go, others' rules are not named", () => {
    const filter = table(render({}, "all", saved), "filter");
    expect(filter.filter((line) => /^-[ID]/.test(line) || /^-[FX]/.test(line))).toEqual([
      "-D INPUT -j NODE-LOCAL-DNS-IN",
      "-D INPUT -p udp -j NODE-LOCAL-DNS-OLD",
      "-I OUTPUT -j NODE-LOCAL-DNS-OUT",
      "-F NODE-LOCAL-DNS-OLD",
      "-X NODE-LOCAL-DNS-OLD",
    ]);
  });

  test("removal takes our jumps and chains and names nothing else", () => {
    expect(table(renderIptablesRemoval(saved), "filter")).toEqual([
      "-D INPUT -j NODE-LOCAL-DNS-IN",
      "-D INPUT -j NODE-LOCAL-DNS-IN",
      "-D INPUT -p udp -j NODE-LOCAL-DNS-OLD",
      "-F NODE-LOCAL-DNS-IN",
      "-X NODE-LOCAL-DNS-IN",
      "-F NODE-LOCAL-DNS-OLD",
      "-X NODE-LOCAL-DNS-OLD",
    ]);
    expect(renderIptablesRemoval("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -s 192.0.2.1/32 -j DROP\nCOMMIT\n")).toBe("");
  });

  test("table nat returns to the socket only after raw leads there, and no longer before raw does", () => {
    const { families, listeners } = iptablesRuleSet(throughKubeProxy);
    const chains = families[0]?.chains ?? [];
    const order = (on: readonly Listener[]) => renderIptables(chains, on, "").match(/(?<=^\*)(raw|nat)$/gm);
    expect(order(listeners)).toEqual(["raw", "nat"]);
    expect(order(listeners.slice(1))).toEqual(["nat", "raw"]);
  });

  test("what has all jumps and rules is told from what lost some", () => {
    const { families, listeners } = iptablesRuleSet(ipvs);
    const chains = families[0]?.chains ?? [];
    const hasAll = (there: string) => hasExactJumps(chains, listeners, there);
    // As iptables-save shows what was written.
    const whole = renderIptables(chains, listeners, "").replaceAll(/^-I /gm, "-A ");
    expect(hasAll(whole)).toBe(true);
    expect(hasAll(whole.replace(/^-A OUTPUT .*\n/m, ""))).toBe(false);
    expect(hasAll(whole.replace(/^(-A OUTPUT .*\n)/m, "$1$1"))).toBe(false);
    expect(hasAll("")).toBe(false);
    expect(isWhole(chains, listeners, whole)).toBe(true);
    expect(isWhole(chains, listeners, whole.replace(/^-A OUTPUT .*\n/m, ""))).toBe(false);
    expect(isWhole(chains, listeners, whole.replace(/^-A NODE-LOCAL-DNS.*\n/m, ""))).toBe(false);
  });

  test("own lines say nothing about counts", () => {
    expect(ownLines(saved)).toEqual(ownLines(saved.replaceAll("3:180", "9:999")));
    expect(ownLines(saved)).not.toEqual(ownLines(saved.replace("-A INPUT -p udp -j NODE-LOCAL-DNS-OLD\n", "")));
  });
});

test.each<[what: string, input: Partial<RuleInput>, turning: string[], ofKubeProxy: number]>([
  ["service-ip", {}, ["raw"], 0],
  ["link-local", { interception: "link-local" }, ["raw", "nat"], 3],
  ["ipvs", ipvs, ["raw", "nat"], 0],
  ["draining", { ...ipvs, cache: false }, ["nat"], 0],
])("%s: which tables a switch changes, and how many chains are kube-proxy's", (_what, input, turning, ofKubeProxy) => {
  const { families } = iptablesRuleSet(input);
  expect(tablesThatTurn(families)).toEqual(turning);
  expect(kubeProxyChains(families.flatMap(({ chains }) => chains))).toHaveLength(ofKubeProxy);
});

test("every chain is where the agent looks for chains of ours", () => {
  for (const [, own] of rows.filter(([, { packetFilter }]) => packetFilter === "iptables")) {
    for (const { table: place, name, from } of iptablesRuleSet(own).families.flatMap(({ chains }) => chains)) {
      expect(ownPlaces[place].own.map((end) => `${chainName}${end}`)).toContain(name);
      expect(ownPlaces[place].builtIn).toContain(from);
    }
  }
});
