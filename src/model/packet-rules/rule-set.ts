import type { FamilyChains } from "./iptables/types";
import type { Listener } from "./listener";
import type { Chain } from "./nft/types";

/** The link and rules of a node's kernel, as a value. */
export type RuleSet = NftRuleSet | IptablesRuleSet;

export interface NftRuleSet extends LinkAndListeners {
  readonly packetFilter: "nftables";
  readonly chains: readonly Chain[];
}

export interface IptablesRuleSet extends LinkAndListeners {
  readonly packetFilter: "iptables";
  readonly families: readonly FamilyChains[];
  /** The part of an nftables table that may stay while a cache of the previous configuration needs it. */
  readonly nftPastCache: readonly Chain[];
}

interface LinkAndListeners {
  readonly link: Link;
  /** What the cache listens on, and the destination of redirected queries. */
  readonly listeners: readonly Listener[];
}

/** The link that we create, and its addresses. */
export interface Link {
  readonly name: string;
  readonly addresses: readonly string[];
}
