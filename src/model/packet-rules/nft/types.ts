import type { Family } from "../../syntax/addresses";
import type { Protocol } from "../listener";
import type { PacketMatch } from "../match";

/** A base chain: `hook` is where packets enter it, `stage` its order among the chains of that hook. */
export interface Chain {
  readonly hook: "prerouting" | "input" | "output" | "postrouting";
  /**
   * `nat` sees only the first packet of a connection, `after-nat` addresses as the client knows them, `last` and
   * `delivered` only packets that nothing has dropped.
   */
  readonly stage: "raw" | "mangle" | "nat" | "filter" | "after-nat" | "last" | "delivered";
  readonly rules: readonly FamilyRule[];
}

export interface Rule {
  readonly match: Match;
  /** Run in order. */
  readonly statements: readonly Statement[];
}

/** Our table is of family `inet`, so every rule says which IP family it is for. */
export interface FamilyRule extends Rule {
  readonly family: Family;
}

export interface Match extends PacketMatch {
  readonly fromLoopback?: true;
  /** This port of it is not that of DNS. */
  readonly notDNS?: "sport" | "dport";
  readonly notSource?: string;
  /** It goes to none of these. */
  readonly notDestination?: readonly string[];
  /**
   * A local socket takes the packet: one bound to exactly its destination (`own`), or any, half-open ones included
   * (`any`). The destination must also be an address of the node: a socket outlives its address, and the packet would
   * leave the node again. In hooks prerouting and input only.
   */
  readonly socket?: "own" | "any";
  /** Belongs to a TCP connection that `remember` has seen. */
  readonly remembered?: true;
  /**
   * The switch for its destination and protocol is on. For `host`, the destination must also be an address of the node.
   */
  readonly switch?: "pods" | "host";
  /** TCP: it carries the end of what a program sent. */
  readonly pushes?: true;
  /** The watchdog has shown itself in the packet's family lately. */
  readonly watched?: true;
  /** What is known of the cache at the address that the match names, and of the cluster DNS. */
  readonly signs?: { readonly [sign in SignOfLife]?: boolean };
  /** The packet carries this bit. */
  readonly mark?: number;
  /** Its connection carries this bit. */
  readonly connectionMark?: number;
  /** Its connection was opened to port 53 of this address, whatever NAT has made of it. */
  readonly openedTo?: string;
  readonly direction?: "original" | "reply";
}

export type Statement =
  | { readonly kind: "notrack" | "return" | "drop" | "masquerade" }
  /** Drops the packet and notifies the sender. */
  | { readonly kind: "reject"; readonly protocol: Protocol }
  /** Remembers the TCP connection for as long as it is used. */
  | { readonly kind: "remember" }
  /**
   * Ends the rule unless the packet's source sends more than this. A source for which there is no room has no limit.
   */
  | { readonly kind: "limit"; readonly perSecond: number }
  /** Records for a while whose queries were too many. */
  | { readonly kind: "note-limited" }
  /** Records for a while who asked its destination, or whom its source answered. */
  | { readonly kind: "note"; readonly set: "asked" | "answered" }
  /** Records for a while that a watchdog is there, in the packet's family. */
  | { readonly kind: "note-watched" }
  /**
   * Notes or forgets something of the cache at the address that the match names, or of the cluster DNS. `add` leaves a note as it is, `update`
   * renews it; to forget what nobody has noted ends the rule, and so does a note for which there is no room.
   */
  | { readonly kind: "add" | "update" | "delete"; readonly sign: SignOfLife; readonly ms?: number }
  /** Counts with a named counter. */
  | { readonly kind: "count"; readonly counter: string }
  /** Sets or clears one bit and leaves the others alone. */
  | { readonly kind: "set-mark" | "clear-mark" | "set-connection-mark" | "clear-connection-mark"; readonly bit: number }
  /** Rewrites an address without conntrack. */
  | { readonly kind: "set-destination" | "set-source"; readonly address: string }
  /** The same in what a refusal over TCP quotes. */
  | { readonly kind: "set-refused-destination"; readonly was: string; readonly address: string }
  /** NAT to port 53 of another address. */
  | { readonly kind: "dnat"; readonly address: string };

/** What the kernel knows, for some time, of the cache at an address: hang.ts says how. */
export type SignOfCache = "live" | "silent" | "untried" | "hung";

/** The same of the cluster DNS, in the packet's family. */
export type SignOfClusterDNS = "past-live" | "past-tried";

export type SignOfLife = SignOfCache | SignOfClusterDNS;
