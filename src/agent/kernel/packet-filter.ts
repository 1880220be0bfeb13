import type { RuleSet } from "../../model/packet-rules/rule-set";
import type { PacketFilterDriver } from "./driver";
import { iptablesFilter } from "./iptables";
import { nftFilter } from "./nft";

/**
 * The driver for a rule set.
 * @param hostTimeoutMs Of the host's switch; nftables only.
 */
export function packetFilter(ruleSet: RuleSet, hostTimeoutMs: number): PacketFilterDriver {
  return ruleSet.packetFilter === "nftables" ? nftFilter(ruleSet, hostTimeoutMs) : iptablesFilter(ruleSet);
}
