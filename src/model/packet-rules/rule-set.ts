import type { FamilyChains } from "./iptables/types";
import type { Listener } from "./listener";
import type { Chain } from "./nft/types";

/** What a node's kernel is told, as a value. */
export type RuleSet = NftRuleSet | IptablesRuleSet;

export interface NftRuleSet extends LinkAndListeners {
  readonly packetFilter: "nftables";
  readonly chains: readonly Chain[];
}

export interface IptablesRuleSet extends LinkAndListeners {
  readonly packetFilter: "iptables";
  readonly families: readonly FamilyChains[];
  /** All that may stay of a table for nftables, while a cache of before needs it. */
  readonly nftPastCache: readonly Chain[];
}

interface LinkAndListeners {
  readonly link: Link;
  /** What the cache listens on, and rules lead queries to. */
  readonly listeners: readonly Listener[];
}

/** The link that we create, and its addresses. */
export interface Link {
  readonly name: string;
  readonly addresses: readonly string[];
}
