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

describe("link-local: the chain NODE-LOCAL-DNS in nat", () => {
  const forPods = (text: string) => table(text, "nat").filter((line) => !/-POST|-HOST/.test(line));

  test("ipvs: DNAT to the service IP", () => {
    expect(forPods(render({ interception: "link-local", kubeProxyMode: "ipvs" }))).toEqual([
      "-A NODE-LOCAL-DNS -m socket -m addrtype --dst-type LOCAL -j RETURN",
      "-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p tcp -m tcp --dport 53 -j DNAT --to-destination 10.96.0.10:53",
      "-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p udp -m udp --dport 53 -j DNAT --to-destination 10.96.0.10:53",
      "-A PREROUTING -d 169.254.20.10/32 -p tcp -m tcp --dport 53 -j NODE-LOCAL-DNS",
      "-A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS",
    ]);
  });

  test("iptables: through kube-proxy's own chains, which are declared where they are missing", () => {
    const text = render({ interception: "link-local", kubeProxyMode: "iptables" });
    expect(forPods(text)).toEqual([
      "-A NODE-LOCAL-DNS -m socket -m addrtype --dst-type LOCAL -j RETURN",
      "-A NODE-LOCAL-DNS -d 169.254.20.10/32 -j KUBE-MARK-MASQ",
      "-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p tcp -j KUBE-SVC-ERIFXISQEP7F7OF4",
      "-A NODE-LOCAL-DNS -d 169.254.20.10/32 -p udp -j KUBE-SVC-TCOU7JCQXEZGVUNU",
      "-A PREROUTING -d 169.254.20.10/32 -p tcp -m tcp --dport 53 -j NODE-LOCAL-DNS",
      "-A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS",
    ]);
    expect(text).toContain(":KUBE-SVC-TCOU7JCQXEZGVUNU - [0:0]");
    const there =
      "*nat\n:KUBE-MARK-MASQ - [0:0]\n:KUBE-SVC-TCOU7JCQXEZGVUNU - [0:0]\n:KUBE-SVC-ERIFXISQEP7F7OF4 - [0:0]\nCOMMIT\n";
    // Declaring an existing chain would empty it.
    expect(render({ interception: "link-local", kubeProxyMode: "iptables" }, "all", there)).not.toContain(":KUBE-");
  });

  const ofHost = "-A OUTPUT -d 169.254.20.10/32 -p udp -m udp --dport 53 -j NODE-LOCAL-DNS-HOST";
  test("left: no RETURN to the socket, and the node's own processes go to the Service too", () => {
    const nat = table(render({ interception: "link-local", kubeProxyMode: "ipvs" }, "none"), "nat");
    expect(nat).not.toContain("-A NODE-LOCAL-DNS -m socket -m addrtype --dst-type LOCAL -j RETURN");
    expect(nat).toContain(ofHost);
  });

  test("draining: the fallback alone", () => {
    const text = render({ interception: "link-local", kubeProxyMode: "ipvs", cache: false });
    expect(text).not.toContain("-m socket");
    expect(text).not.toContain("ACCEPT");
    expect(table(text, "nat")).toContain(ofHost);
  });
});

describe("service-ip: the rules of KEP-1024", () => {
  test("NOTRACK is the switch, with a socket match", () => {
    const on = table(render({}), "raw");
    expect(on).toContain(
      "-A NODE-LOCAL-DNS -d 10.96.0.10/32 -p udp -m udp --dport 53 -m socket -m addrtype --dst-type LOCAL -j NOTRACK",
    );
    expect(on).toContain("-A NODE-LOCAL-DNS-OUT -s 10.96.0.10/32 -p tcp -m tcp --sport 53 -j NOTRACK");
    const off = table(render({}, "none"), "raw");
    expect(off.filter((line) => line.includes("-m socket"))).toEqual([]);
    expect(off).toContain("-A NODE-LOCAL-DNS-OUT -s 10.96.0.10/32 -p tcp -m tcp --sport 53 -j NOTRACK");
  });

  test("requests and replies are accepted before any policy", () => {
    const filter = table(render({}), "filter");
    expect(filter).toContain("-A NODE-LOCAL-DNS-IN -d 10.96.0.10/32 -p udp -m udp --dport 53 -j ACCEPT");
    expect(filter).toContain("-A NODE-LOCAL-DNS-OUT -s 10.96.0.10/32 -p udp -m udp --sport 53 -j ACCEPT");
    expect(filter).toContain("-I INPUT -j NODE-LOCAL-DNS-IN");
  });

  test("a limit by source comes before what counts", () => {
    const rules = (overrides: object) =>
      table(render(overrides), "mangle").filter((line) => /^-A NODE-LOCAL-DNS-IN\b/.test(line));
    const counting =
      "-m conntrack --ctstate UNTRACKED -m recent --set --name NODE-LOCAL-DNS-asked-udp-169.254.20.10 --rsource";
    expect(rules({})).toHaveLength(4);
    expect(rules({})[0]).toBe(
      `-A NODE-LOCAL-DNS-IN -d 169.254.20.10/32 ! -i lo -p udp -m udp --dport 53 -m length --length 45:65535 ${counting}`,
    );
    const limits = rules({ queryLimit: 100 }).slice(0, -4);
    expect(limits).toHaveLength(4);
    expect(limits[1]).toBe(
      "-A NODE-LOCAL-DNS-IN -d 169.254.20.10/32 ! -i lo -p tcp -m tcp --dport 53 --tcp-flags FIN,SYN,RST,ACK SYN -m hashlimit --hashlimit-above 100/sec --hashlimit-burst 100 --hashlimit-mode srcip --hashlimit-name node-local-dns-100 --hashlimit-htable-max 65536 --hashlimit-htable-expire 5000 -j DROP",
    );
  });

  test("each family has its own", () => {
    const dual = { serviceIPs: ["10.96.0.10", "fd00:96::a"], linkLocalIPs: ["169.254.20.10", "fd00:169:254:20::10"] };
    expect(render(dual, "all", "", "IPv6")).not.toContain("10.96");
    expect(render(dual, "all", "", "IPv6")).toContain(
      "-d fd00:96::a/128 -p udp -m udp --dport 53 -m socket -m addrtype --dst-type LOCAL -j NOTRACK",
    );
    expect(render(dual)).not.toContain("fd00");
  });
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
    const { families, listeners } = iptablesRuleSet({ interception: "link-local", kubeProxyMode: "iptables" });
    const chains = families[0]?.chains ?? [];
    const order = (on: readonly Listener[]) => renderIptables(chains, on, "").match(/(?<=^\*)(raw|nat)$/gm);
    expect(order(listeners)).toEqual(["raw", "nat"]);
    expect(order(listeners.slice(1))).toEqual(["nat", "raw"]);
  });

  test("what has all jumps and rules is told from what lost some", () => {
    const { families, listeners } = iptablesRuleSet({ interception: "link-local", kubeProxyMode: "ipvs" });
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
  ["ipvs", { interception: "link-local", kubeProxyMode: "ipvs" }, ["raw", "nat"], 0],
  ["draining", { interception: "link-local", kubeProxyMode: "ipvs", cache: false }, ["nat"], 0],
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
