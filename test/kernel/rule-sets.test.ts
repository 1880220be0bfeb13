import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Namespace, missingForKernelTests } from "../../rig/kernel/namespace";
import { renderIptables, renderIptablesRemoval } from "../../src/model/packet-rules/iptables/render";
import type { Listener } from "../../src/model/packet-rules/listener";
import { renderNft, renderNftRemoval, type TablePart } from "../../src/model/packet-rules/nft/render";
import { renderNftSwitches } from "../../src/model/packet-rules/nft/switches";
import { listing, rulesOf } from "./listing";
import { iptablesRuleSet, nftRuleSet, rows } from "../model/packet-rules/rows";

const missing = missingForKernelTests();
const off = { pods: [], host: [] };
/** Until the watchdog's sign expires, which a slow machine would not find again. */
const longEnoughMs = 3_600_000;

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
    node.run("nft", ["-f", "-"], renderNft(chains, all, longEnoughMs));
    const first = listing(node);
    for (const turn of [renderNftSwitches(all, off), renderNftSwitches(off, all)]) {
      if (turn !== "") node.run("nft", ["-f", "-"], turn);
    }
    expect(listing(node)).toBe(first);
    // Whatever other rules exist, these replace them.
    const { chains: others } = nftRuleSet({ interception: "link-local", kubeProxyMode: "ipvs" });
    node.run("nft", ["-f", "-"], renderNft(others, off, 5_000, partsIn(node)));
    expect(listing(node)).not.toBe(first);
    node.run("nft", ["-f", "-"], renderNft(chains, all, longEnoughMs, partsIn(node)));
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

function partsIn(node: Namespace): TablePart[] {
  const listed = node.run("nft", ["-s", "list", "table", "inet", "node-local-dns"]);
  return [...listed.matchAll(/^\t(chain|set|counter) (\S+) \{/gm)].map(([, kind, name = ""]) => ({
    kind: kind as TablePart["kind"],
    name,
  }));
}
