import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingForKernelTests, Namespace } from "../../rig/kernel/namespace";
import { renderCluster } from "../../src/charts/render-cluster";
import { ruleInput, type AgentConfig } from "../../src/model/agent-config/agent-config";
import type { Cluster } from "../../src/model/cluster/cluster";
import { kubeProxyChains, renderIptables } from "../../src/model/packet-rules/iptables/render";
import { packetRules } from "../../src/model/packet-rules/packet-rules";
import { renderNft } from "../../src/model/packet-rules/nft/render";
import { renderNftSwitches } from "../../src/model/packet-rules/nft/switches";
import type { IptablesRuleSet, NftRuleSet } from "../../src/model/packet-rules/rule-set";
import { schema, validClusters } from "../properties/clusters";

const missing = missingForKernelTests();
const thresholds = Object.keys(schema.definitions?.["WatchdogThresholds"]?.properties ?? {});
const clusters = validClusters({
  ClusterDnsProps: ["agentImage", "nodeLocalDNS"],
  NodeLocalDnsOptions: ["packetFilter", "queryLimit", "watchdogThresholds"],
  WatchdogThresholds: thresholds,
});

describe.skipIf(missing !== undefined)("nft and iptables-restore take the rules of every description", () => {
  let node: Namespace;
  beforeAll(() => {
    node = new Namespace("random");
  });
  afterAll(() => node.remove());

  it("that the check accepts, whatever its values", () => {
    const seen = { nftables: 0, iptables: 0 };
    const property = fc.property(clusters, ({ cluster }) => {
      for (const config of agentConfigs(cluster)) {
        if (config.state === "removed") continue;
        const rules = packetRules(ruleInput(config));
        seen[rules.packetFilter]++;
        if (rules.packetFilter === "nftables") expectNft(rules, config);
        else expectIptables(rules);
      }
    });
    fc.assert(property, { numRuns: 300, endOnFailure: true });
    // Otherwise the arbitrary is worthless.
    expect(seen.nftables).toBeGreaterThan(20);
    expect(seen.iptables).toBeGreaterThan(5);
  });

  function expectNft({ chains, listeners }: NftRuleSet, { thresholds: timed }: AgentConfig): void {
    const [off, all] = [
      { pods: [], host: [] },
      { pods: listeners, host: listeners },
    ];
    const table = renderNft(chains, off, timed.hostTimeoutMs);
    node.run("nft", ["-c", "-f", "-"], table + renderNftSwitches(off, all) + renderNftSwitches(all, off));
  }

  function expectIptables({ families }: IptablesRuleSet): void {
    for (const { family, chains } of families) {
      const tool = family === "IPv4" ? "iptables" : "ip6tables";
      const listeners = chains.flatMap(({ rules }) => rules.flatMap(({ whileOn }) => whileOn ?? []));
      const theirs = kubeProxyChains(chains).map((chain) => `:${chain} - [0:0]\n`);
      for (const backend of ["legacy", "nft"]) {
        node.run(`${tool}-${backend}-restore`, ["--noflush"], `*nat\n${theirs.join("")}COMMIT\n`);
        node.run(`${tool}-${backend}-restore`, ["--noflush", "--test"], renderIptables(chains, listeners, ""));
      }
    }
  }
});

/** What the programs on a node read. */
function agentConfigs(cluster: Cluster): AgentConfig[] {
  const objects = renderCluster(cluster).components.flatMap((component) => component.objects);
  const texts = objects.flatMap((object) => {
    const { data } = object as { data?: { readonly [key: string]: string } };
    return data?.["config.json"] ?? [];
  });
  return texts.map((text) => JSON.parse(text) as AgentConfig).filter(({ thresholds: timed }) => timed !== undefined);
}
