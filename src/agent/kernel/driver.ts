import type { Listener, Switches } from "../../model/packet-rules/listener";

/** Our rules in the kernel. Every write is one transaction; with iptables, one for each table. */
export interface PacketFilterDriver {
  /** The switches as the kernel has them; undefined where our rules are missing. */
  switches(): Promise<Switches | undefined>;
  /** The same, but undefined as well if somebody has changed our rules since we last wrote them. */
  switchesIfIntact(): Promise<Switches | undefined>;
  /** Replaces whatever we wrote earlier by the complete rules. */
  install(switches: Switches): Promise<void>;
  /** Takes the switches of installed rules from one state to another. */
  turnSwitches(from: Switches, to: Switches): Promise<void>;
  /** Renews the host's switch for these listeners, and reads the counts of all listeners of the rule set, in its order. */
  renewHostAndCount(host: readonly Listener[]): Promise<readonly Counts[]>;
}

/** What a listener was asked and sent. */
export interface Counts {
  readonly requests: number;
  readonly replies: number;
  /** Who asked lately. */
  readonly asked: number;
  /** Who of them was sent a reply lately. */
  readonly answered: number;
}
