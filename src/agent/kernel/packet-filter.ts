import type { Listener, RuleSet, Switches } from "../../model/packet-rules/rule";
import { iptablesFilter } from "./iptables";
import { nftFilter } from "./nft";

/** Our rules in the kernel. Every write is a transaction of the kernel, or one for each table of iptables. */
export interface PacketFilterDriver {
  /** Who is led to the cache now; undefined where our rules are not there. */
  switches(): Promise<Switches | undefined>;
  /** Writes the whole set in place of whatever we wrote before. */
  apply(switches: Switches): Promise<void>;
  /** From one state of the switches to another. */
  turn(from: Switches, to: Switches): Promise<void>;
  /** Renews the host's switch for `host`, and reads how many packets each listener took and sent, in order of the listeners. */
  refresh(host: readonly Listener[]): Promise<readonly Counts[]>;
  /** As `switches`; undefined too where the rules are not those that `apply` wrote last. */
  intactSwitches(): Promise<Switches | undefined>;
}

export interface Counts {
  readonly requests: number;
  readonly replies: number;
}

export function packetFilter(ruleSet: RuleSet, hostTimeout: number): PacketFilterDriver {
  return ruleSet.packetFilter === "nftables" ? nftFilter(ruleSet, hostTimeout) : iptablesFilter(ruleSet);
}
