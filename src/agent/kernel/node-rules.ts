import { ruleInput, type AgentConfig } from "../../model/agent-config/agent-config";
import { packetRules } from "../../model/packet-rules/packet-rules";
import type { RuleSet } from "../../model/packet-rules/rule-set";
import type { PacketFilterDriver } from "./driver";
import { IptablesFilter } from "./iptables";
import { nftFilter } from "./nft";

/** What a configuration requires of the node's kernel, and the driver for it. */
export interface NodeRules {
  readonly ruleSet: RuleSet;
  readonly filter: PacketFilterDriver;
}

/** @throws Error if the state is `removed`. */
export function nodeRules(config: AgentConfig): NodeRules {
  if (config.state === "removed")
    throw new Error("state is removed: there is nothing to set up or watch; `agent cleanup` removes what is left");
  const ruleSet = packetRules(ruleInput(config));
  const filter =
    ruleSet.packetFilter === "nftables"
      ? nftFilter(ruleSet, config.thresholds.hostTimeoutMs)
      : new IptablesFilter(ruleSet);
  return { ruleSet, filter };
}
