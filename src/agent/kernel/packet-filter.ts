import type { HostTimeouts } from "../../model/packet-rules/nft/render";
import type { RuleSet } from "../../model/packet-rules/rule-set";
import type { PacketFilterDriver } from "./driver";
import { iptablesFilter } from "./iptables";
import { nftFilter } from "./nft";

/**
 * The driver for a rule set.
 * @param timeouts Of the host's switch; nftables only.
 */
export function packetFilter(ruleSet: RuleSet, timeouts: HostTimeouts): PacketFilterDriver {
  return ruleSet.packetFilter === "nftables" ? nftFilter(ruleSet, timeouts) : iptablesFilter(ruleSet);
}
