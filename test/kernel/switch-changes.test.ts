import { describe, expect, onTestFinished, test } from "vitest";
import { Namespace, missingForKernelTests } from "../../rig/kernel/namespace";
import { renderIptables } from "../../src/model/packet-rules/iptables/render";
import { renderNft } from "../../src/model/packet-rules/nft/render";
import { renderNftSwitches } from "../../src/model/packet-rules/nft/switches";
import { iptablesRuleSet, nftRuleSet, rows } from "../model/packet-rules/rows";
import { listing, rulesOf } from "./listing";

const off = { pods: [], host: [] };

describe.skipIf(missingForKernelTests() !== undefined)("100 switch changes leave one copy of each rule", () => {
  const [, own] = rows.find(([name]) => name === "service-ip, kube-proxy iptables, nftables, dual") ?? [];

  test("nftables", async () => {
    const node = new Namespace("turns");
    onTestFinished(() => node.remove());
    const { chains, listeners } = nftRuleSet(own);
    const all = { pods: listeners, host: [] };
    node.run("nft", ["-f", "-"], renderNft(chains, all, 10_000));
    const before = listing(node);
    const turns = [renderNftSwitches(all, off), renderNftSwitches(off, all)];
    for (let i = 0; i < 100; i++) node.run("nft", ["-f", "-"], turns[i % 2]);
    expect(listing(node)).toBe(before);
  });

  test.each(["legacy", "nft"])("iptables, %s", async (backend) => {
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
    for (let i = 0; i < 100; i++) turn(i % 2 === 1);
    expect(rulesOf(node, tool)).toEqual(before);
    expect(new Set(before).size).toBe(before.length);
  });
});
