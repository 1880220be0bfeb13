import type { Family } from "../../syntax/addresses";
import type { Listener, Protocol } from "../listener";
import type { PacketMatch } from "../match";
import type { ClientList, Table } from "./names";

/** iptables and ip6tables are separate: each family has its own chains. */
export interface FamilyChains {
  readonly family: Family;
  readonly chains: readonly Chain[];
}

/** One of our chains, and the jumps to it from a built-in chain of the same table. */
export interface Chain {
  readonly table: Table;
  readonly name: string;
  readonly from: "PREROUTING" | "INPUT" | "OUTPUT" | "POSTROUTING";
  /** Whether the jumps come before or after other rules. */
  readonly place: "first" | "last";
  readonly jumps: readonly Jump[];
  readonly rules: readonly Rule[];
}

/** iptables has no sets: turning a switch adds and removes jumps and rules. */
interface Jump {
  readonly match: Match;
  /** Exists only while this listener's switch is off. */
  readonly whileOff?: Listener;
}

export interface Rule {
  readonly match: Match;
  /** Without a target, the rule only counts. */
  readonly target?: Target;
  /** Exists only while the switches of all these listeners are on. */
  readonly whileOn?: readonly Listener[];
}

export interface Match extends PacketMatch {
  /**
   * Records when the packet's source (`asked`) or destination (`answered`) was last seen, in a list of this listener.
   */
  readonly note?: { readonly list: ClientList; readonly listener: Listener };
  /** Its source sends more than this to the cache in a second. */
  readonly above?: number;
  /**
   * A local socket bound to exactly its destination takes the packet, half-open ones included. The destination must
   * also be an address of the node: a socket outlives its address. In PREROUTING and INPUT only.
   */
  readonly socket?: true;
}

export type Target =
  | "ACCEPT"
  | "DROP"
  | "MASQUERADE"
  | "NOTRACK"
  | "RETURN"
  /** Drops the packet and notifies the sender. */
  | { readonly reject: Protocol }
  /** NAT to port 53 of another address. */
  | { readonly dnat: string }
  /** A chain that kube-proxy owns. */
  | { readonly kubeProxyChain: string };
