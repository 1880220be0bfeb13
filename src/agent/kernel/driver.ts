import type { Switches } from "../../model/packet-rules/listener";

/** Our rules in the kernel. Every write is one transaction; with iptables, one per table. */
export interface PacketFilterDriver {
  /** The switches as the kernel has them; undefined if our rules are missing. */
  switches(): Promise<Switches | undefined>;
  /** The same, but also undefined if someone has changed our rules since we last wrote them. */
  switchesIfIntact(): Promise<Switches | undefined>;
  /** Replaces everything we wrote earlier with the complete rules. */
  install(switches: Switches): Promise<void>;
  /** Changes the switches of installed rules from one state to another. */
  turnSwitches(from: Switches, to: Switches): Promise<void>;
  /** The counts of all listeners of the rule set, in its order. */
  counts(): Promise<readonly Counts[]>;
}

export interface Counts {
  readonly requests: number;
  readonly replies: number;
  /** Queries that went past the cache, which was silent. */
  readonly pastSilent?: number;
  /** Queries that were dropped because their pod sent too many. */
  readonly limited?: number;
  /** Number of clients that recently sent a request. */
  readonly asked: number;
  /** How many of those were recently sent a reply. */
  readonly answered: number;
}
