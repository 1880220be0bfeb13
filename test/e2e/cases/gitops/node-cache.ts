import { expect, it } from "vitest";
import { until } from "../../../../rig/until";
import type { NodeLocalDnsOptions } from "../../../../src/model/props/node-local-dns";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { expectLostAtMost } from "../../../expect-lost";
import { type Life, otherAgentImage, expectNoNewFlowLost } from "./life";
import { ledToCache, onNode } from "../../lib/programs";

/** From the node cache's first day to its last, in order: each test starts where the one before ended. */
export function changesNodeCache(life: Life): void {
  const cached = (nodeLocalDNS: NodeLocalDnsOptions, edit: Partial<ClusterDnsProps> = {}) => ({
    nodeLocalDNS,
    ...edit,
  });

  it("starts the node cache", async () => {
    await expectNoNewFlowLost(life, "node cache", cached({}));
    await isUsed();
  });

  it("upgrades the agent, and goes back", async () => {
    await expectNoNewFlowLost(life, "another agent image", cached({}, { agentImage: otherAgentImage }));
    await expectNoNewFlowLost(life, "the agent image before", cached({}));
  });

  // kube-proxy removes the rules of its old mode before it writes those of the new one (cmd/kube-proxy/app/options.go). Then
  // the cache knows only what it has kept: what expires in that moment is lost.
  it("follows kube-proxy to nftables mode", async () => {
    const edit = cached({}, { kubeProxyMode: "nftables" });
    const report = await life.during("kube-proxy in nftables mode", async () => {
      await proxyMode("nftables");
      await life.commit(edit);
    });
    expectLostAtMost(report, { windowMs: 1000 });
    await isUsed();
  });

  it("changes the interception to link-local, drains the cache and removes it from the nodes", async () => {
    const nftables = { kubeProxyMode: "nftables" } as const;
    const linkLocal = { interception: "link-local" } as const;
    await expectNoNewFlowLost(life, "interception link-local", cached(linkLocal, nftables));
    await expectNoNewFlowLost(life, "draining", cached({ ...linkLocal, state: "draining" }, nftables));
    const removed = { ...linkLocal, state: "removed", removeAfter: "20s" } as const;
    const report = await life.during("removed", async () => {
      await life.commit(cached(removed, nftables));
      for (const node of life.cluster().nodes)
        await until(`cleanup of ${node.name}`, 180, async () => (await onNode(node)).length === 0, 2000);
    });
    expectLostAtMost(report, { lostOfNewFlows: 0 });
    await expectNoNewFlowLost(life, "node cache disabled", nftables);
    expect(await life.get("daemonset", "node-local-dns")).toBeUndefined();
  });

  // Without a cache, nothing bridges the moment when kube-proxy has no rules: queries are lost, and not counted.
  it("follows kube-proxy back to iptables mode", async () => {
    await proxyMode("iptables");
    await life.commit({});
    expect(await life.lostOfTen()).toBe(0);
  });

  async function proxyMode(mode: "iptables" | "nftables"): Promise<void> {
    for (const node of life.cluster().nodes) await node.changeProxyMode(mode);
  }

  async function isUsed(): Promise<void> {
    for (const node of life.cluster().nodes) await ledToCache(node);
  }
}
