import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Namespace, missingForKernelTests } from "../../rig/kernel/namespace";
import { renderIptables, renderIptablesRemoval } from "../../src/model/packet-rules/iptables/render";
import type { Listener } from "../../src/model/packet-rules/listener";
import { renderNft, renderNftRemoval, type TablePart } from "../../src/model/packet-rules/nft/render";
import { renderNftSwitches } from "../../src/model/packet-rules/nft/switches";
import { iptablesRuleSet, nftRuleSet, rows } from "../model/packet-rules/rows";

const missing = missingForKernelTests();
const off = { pods: [], host: [] };

describe.skipIf(missing !== undefined)("the kernel accepts every rule set", () => {
  let node: Namespace;
  beforeAll(() => {
    node = new Namespace("rules");
  });
  afterAll(() => node.remove());

  const nftRows = rows.filter(([, input]) => input.packetFilter === "nftables");
  test.each(nftRows)("%s", (_name, input) => {
    const { chains, listeners } = nftRuleSet(input);
    const all = { pods: listeners, host: listeners };
    node.run("nft", ["-f", "-"], renderNft(chains, all, 10));
    const first = listing(node);
    for (const turn of [renderNftSwitches(all, off), renderNftSwitches(off, all)]) {
      if (turn !== "") node.run("nft", ["-f", "-"], turn);
    }
    expect(listing(node)).toBe(first);
    // Whatever other rules exist, these replace them.
    const { chains: others } = nftRuleSet({ interception: "link-local", kubeProxyMode: "ipvs" });
    node.run("nft", ["-f", "-"], renderNft(others, off, 5, partsIn(node)));
    expect(listing(node)).not.toBe(first);
    node.run("nft", ["-f", "-"], renderNft(chains, all, 10, partsIn(node)));
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
    const { families, listeners } = iptablesRuleSet(input);
    for (const { family, chains } of families) {
      const tool = `${family === "IPv4" ? "iptables" : "ip6tables"}-${backend}`;
      const before = `*nat\n:KUBE-SERVICES - [0:0]\n-A PREROUTING -j KUBE-SERVICES\nCOMMIT\n`;
      node.run(`${tool}-restore`, ["--noflush"], before);
      const write = (on: readonly Listener[]) =>
        node.run(`${tool}-restore`, ["--noflush"], renderIptables(chains, on, node.run(`${tool}-save`, [])));
      write(listeners);
      const first = rulesOf(node, tool);
      write([]);
      expect(rulesOf(node, tool)).not.toEqual(listeners.length > 0 ? first : []);
      write(listeners);
      expect(rulesOf(node, tool)).toEqual(first);
      node.run(`${tool}-restore`, ["--noflush"], renderIptablesRemoval(node.run(`${tool}-save`, [])));
      expect(rulesOf(node, tool).filter((line) => line.includes("NODE-LOCAL-DNS"))).toEqual([]);
      expect(rulesOf(node, tool)).toContain("nat -A PREROUTING -j KUBE-SERVICES");
      node.run(tool, ["-t", "nat", "-F"]);
    }
  });
});

describe.skipIf(missing !== undefined)("1,000 switch changes leave one copy of each rule", () => {
  const [, own] = rows.find(([name]) => name === "service-ip, kube-proxy iptables, nftables, dual") ?? [];

  test("nftables", async () => {
    const node = new Namespace("turns");
    onTestFinished(() => node.remove());
    const { chains, listeners } = nftRuleSet(own);
    const all = { pods: listeners, host: [] };
    node.run("nft", ["-f", "-"], renderNft(chains, all, 10));
    const before = listing(node);
    const turns = [renderNftSwitches(all, off), renderNftSwitches(off, all)];
    for (let i = 0; i < 1000; i++) node.run("nft", ["-f", "-"], turns[i % 2]);
    expect(listing(node)).toBe(before);
  });

  test.each(["legacy", "nft"])(
    "iptables, %s",
    async (backend) => {
      const node = new Namespace("turns");
      onTestFinished(() => node.remove());
      const { families, listeners } = iptablesRuleSet();
      const chains = families[0]?.chains ?? [];
      const tool = `iptables-${backend}`;
      const turn = (on: boolean) =>
        node.run(
          `${tool}-restore`,
          ["--noflush"],
          renderIptables(chains, on ? listeners : [], node.run(`${tool}-save`, [])),
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

function listing(node: Namespace): string {
  return node.run("nft", ["-s", "list", "table", "inet", "node-local-dns"]).replaceAll(/ expires \w+/g, "");
}

function partsIn(node: Namespace): TablePart[] {
  const listed = node.run("nft", ["-s", "list", "table", "inet", "node-local-dns"]);
  return [...listed.matchAll(/^\t(chain|set|counter) (\S+) \{/gm)].map(([, kind, name = ""]) => ({
    kind: kind as TablePart["kind"],
    name,
  }));
}

/** `TABLE LINE` for each rule and each of our chains. */
function rulesOf(node: Namespace, tool: string): string[] {
  const tables = node.run(`${tool}-save`, []).split(/^\*/m).slice(1);
  return tables.flatMap((text) => {
    const [table, ...lines] = text.split("\n");
    return lines
      .filter((line) => line.startsWith("-A ") || line.startsWith(":NODE-LOCAL-DNS"))
      .map((line) => `${table} ${line.replace(/ \[\d+:\d+\]$/, "")}`);
  });
}
