import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Namespace, missingForKernelTests } from "../../rig/kernel/namespace";
import { renderIptables, renderIptablesRemoval } from "../../src/model/packet-rules/iptables";
import { renderNft, renderNftHost, renderNftRemoval, renderNftSwitch } from "../../src/model/packet-rules/nft";
import { packetRules, type RuleInput } from "../../src/model/packet-rules/packet-rules";
import { familyOf } from "../../src/model/syntax/addresses";
import { ruleInput, rows } from "../model/packet-rules/rows";

const missing = missingForKernelTests();

describe.skipIf(missing !== undefined)("every rule set is one that the kernel takes", () => {
  let node: Namespace;
  beforeAll(() => {
    node = new Namespace("rules");
  });
  afterAll(() => node.remove());

  const nftRows = rows.filter(([, input]) => input.packetFilter === "nftables");
  test.each(nftRows)("%s", (_name, input) => {
    const ruleSet = packetRules(input);
    const all = { pods: ruleSet.listeners, host: ruleSet.listeners };
    node.run("nft", ["-f", "-"], renderNft(ruleSet, all, 10));
    const first = listing(node);
    for (const turn of [
      renderNftSwitch(ruleSet.listeners, false),
      renderNftHost(ruleSet.listeners, false),
      renderNft(ruleSet, all, 10),
    ]) {
      if (turn !== "") node.run("nft", ["-f", "-"], turn);
    }
    expect(listing(node)).toBe(first);
    node.run("nft", ["-f", "-"], renderNftRemoval());
    expect(node.run("nft", ["list", "ruleset"])).toBe("");
  });

  const iptablesRows = rows
    .filter(([, input]) => input.packetFilter === "iptables")
    .flatMap(([name, input]) => [
      [`${name}, legacy`, input, "legacy"] as const,
      [`${name}, nft`, input, "nft"] as const,
    ]);
  test.each(iptablesRows)("%s", (_name, input, backend) => {
    const ruleSet = packetRules(input);
    for (const family of families(input)) {
      const tool = `${family === "IPv4" ? "iptables" : "ip6tables"}-${backend}`;
      const before = `*nat\n:KUBE-SERVICES - [0:0]\n-A PREROUTING -j KUBE-SERVICES\nCOMMIT\n`;
      node.run(`${tool}-restore`, ["--noflush"], before);
      const all = { pods: ruleSet.listeners, host: [] };
      const write = (switches: typeof all) =>
        node.run(
          `${tool}-restore`,
          ["--noflush"],
          renderIptables(ruleSet, family, switches, node.run(`${tool}-save`, [])),
        );
      write(all);
      const first = rulesOf(node, tool);
      write({ pods: [], host: [] });
      expect(rulesOf(node, tool)).not.toEqual(ruleSet.listeners.length > 0 ? first : []);
      write(all);
      expect(rulesOf(node, tool)).toEqual(first);
      node.run(`${tool}-restore`, ["--noflush"], renderIptablesRemoval(node.run(`${tool}-save`, [])));
      expect(rulesOf(node, tool).filter((line) => line.includes("NODE-LOCAL-DNS"))).toEqual([]);
      expect(rulesOf(node, tool)).toContain("nat -A PREROUTING -j KUBE-SERVICES");
      node.run(tool, ["-t", "nat", "-F"]);
    }
  });
});

describe.skipIf(missing !== undefined)("1,000 turns leave one copy of each rule", () => {
  const [, own] = rows.find(([name]) => name === "service-ip, kube-proxy iptables, nftables, dual") ?? [];

  test("nftables", async () => {
    const node = new Namespace("turns");
    onTestFinished(() => node.remove());
    const ruleSet = packetRules(own ?? ruleInput());
    const all = { pods: ruleSet.listeners, host: [] };
    node.run("nft", ["-f", "-"], renderNft(ruleSet, all, 10));
    const before = listing(node);
    for (let i = 0; i < 1000; i++) node.run("nft", ["-f", "-"], renderNftSwitch(ruleSet.listeners, i % 2 === 1));
    expect(listing(node)).toBe(before);
  });

  test.each(["legacy", "nft"])(
    "iptables, %s",
    async (backend) => {
      const node = new Namespace("turns");
      onTestFinished(() => node.remove());
      const ruleSet = packetRules(ruleInput({ packetFilter: "iptables" }));
      const tool = `iptables-${backend}`;
      const turn = (on: boolean) =>
        node.run(
          `${tool}-restore`,
          ["--noflush"],
          renderIptables(
            ruleSet,
            "IPv4",
            { pods: on ? ruleSet.listeners : [], host: [] },
            node.run(`${tool}-save`, []),
          ),
        );
      turn(true);
      const before = rulesOf(node, tool);
      for (let i = 0; i < 1000; i++) turn(i % 2 === 1);
      expect(rulesOf(node, tool)).toEqual(before);
      expect(new Set(before).size).toBe(before.length);
    },
    300_000,
  );
});

function families(input: RuleInput) {
  return input.linkLocalIPs.map((address) => familyOf(address) ?? "IPv4");
}

function listing(node: Namespace): string {
  return node.run("nft", ["-s", "list", "table", "inet", "node-local-dns"]).replaceAll(/ expires \w+/g, "");
}

/** `TABLE LINE` of each rule, and of each chain of ours. */
function rulesOf(node: Namespace, tool: string): string[] {
  const tables = node.run(`${tool}-save`, []).split(/^\*/m).slice(1);
  return tables.flatMap((text) => {
    const [table, ...lines] = text.split("\n");
    return lines
      .filter((line) => line.startsWith("-A ") || line.startsWith(":NODE-LOCAL-DNS"))
      .map((line) => `${table} ${line.replace(/ \[\d+:\d+\]$/, "")}`);
  });
}
