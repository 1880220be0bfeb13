import type { Family } from "../syntax/addresses";

/** What a node's kernel is told, as a value. `nft.ts` and `iptables.ts` render it. */
export interface RuleSet {
  readonly packetFilter: PacketFilter;
  readonly link: Link;
  /** What the cache listens on, where rules lead queries to it. */
  readonly listeners: readonly Listener[];
  readonly chains: readonly Chain[];
}

export type PacketFilter = "nftables" | "iptables";

export type Protocol = "udp" | "tcp";

/** One socket of the cache. */
export interface Listener {
  readonly address: string;
  readonly protocol: Protocol;
}

/** The link of our own and its addresses. */
export interface Link {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** Where in the kernel a chain is hung up. The stages raw to filter are also the tables of iptables. */
export interface Chain {
  readonly hook: "prerouting" | "input" | "output" | "postrouting";
  /** `after-nat` sees addresses as the client knows them; `last` sees only what nobody dropped. */
  readonly stage: "raw" | "mangle" | "nat" | "filter" | "after-nat" | "last";
  /** iptables: which packets the built-in chain sends here, and whether before or after everybody else's rules. */
  readonly entry?: { readonly place: "first" | "last"; readonly matches: readonly EntryMatch[] };
  readonly rules: readonly Rule[];
}

export interface Rule {
  readonly family: Family;
  readonly match: Match;
  /** In order; iptables takes one. None: the rule only counts. */
  readonly verdicts: readonly Verdict[];
}

export interface EntryMatch {
  readonly family: Family;
  readonly match: Match;
}

/** Everything that is given must hold. */
export interface Match {
  readonly source?: string;
  readonly destination?: string;
  readonly protocol?: Protocol;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  /** `lo`: came in by the loopback; `not-lo`: goes out by another link. */
  readonly link?: "lo" | "not-lo";
  /**
   * A local socket takes the packet: one bound to just its destination (`own`), or any, half-open ones too (`any`). The destination is an
   * address of the node, too: a socket outlives its address, and the packet would leave the node again. Hooks prerouting and input only.
   */
  readonly socket?: "own" | "any";
  /** Opens a TCP connection; belongs to one that `remember` has seen. */
  readonly opens?: true;
  readonly remembered?: true;
  /**
   * The switch for the packet's destination and protocol: cache for `pods`, cache for the `host`'s own processes, whose destination is an
   * address of the node, too.
   */
  readonly switch?: SwitchCondition;
  /** The packet, or its connection, carries the bit. */
  readonly mark?: number;
  readonly connectionMark?: number;
  readonly direction?: "original" | "reply";
  readonly untracked?: true;
}

/** `pods-off` is for iptables, whose rules come and go where nftables has set elements. */
export type SwitchCondition = "pods" | "pods-off" | "host";

export type Verdict =
  | { readonly kind: "notrack" | "accept" | "drop" | "return" | "masquerade" }
  /** nftables: keeps the TCP connection in mind while it is used. */
  | { readonly kind: "remember" }
  /** A named counter. */
  | { readonly kind: "count"; readonly counter: string }
  /** Sets or clears one bit and leaves the others alone. */
  | { readonly kind: "set-mark" | "clear-mark" | "set-connection-mark" | "clear-connection-mark"; readonly bit: number }
  /** Rewrites without conntrack. */
  | { readonly kind: "set-destination" | "set-source"; readonly address: string }
  /** With conntrack, by port 53 of another address. */
  | { readonly kind: "dnat"; readonly address: string }
  /** iptables: a chain that kube-proxy owns. */
  | { readonly kind: "jump"; readonly chain: string };

/** Who is led to the cache now: listeners whose switch is on. */
export interface Switches {
  readonly pods: readonly Listener[];
  readonly host: readonly Listener[];
}

/** One word for a listener, as counters, metrics and logs name it. */
export function listenerName({ address, protocol }: Listener): string {
  return `${protocol}-${address.replaceAll(":", "-")}`;
}

export const counters = {
  requests: (listener: Listener) => `requests-${listenerName(listener)}`,
  replies: (listener: Listener) => `replies-${listenerName(listener)}`,
  /** Queries to a link-local address that went past the cache. */
  past: (listener: Listener) => `past-${listenerName(listener)}`,
} as const;

/** Name of our nftables table; also, in upper case, of our iptables chains. */
export const tableName = "node-local-dns";
export const chainName = "NODE-LOCAL-DNS";
