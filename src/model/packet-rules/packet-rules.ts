import { familyAddresses, type FamilyAddresses } from "./family-addresses";
import { iptablesRules } from "./iptables/rules";
import { nftRules } from "./nft/rules";
import type { RuleInput } from "./rule-input";
import type { RuleSet } from "./rule-set";

/** Link and rules of a node, complete, and from the mode alone. */
export function packetRules(input: RuleInput): RuleSet {
  const families = familyAddresses(input);
  const linkAndListeners = {
    link: { name: input.linkName, addresses: families.flatMap(linkAddresses) },
    listeners: families.flatMap(({ listeners }) => listeners),
  };
  switch (input.packetFilter) {
    case "nftables":
      return { packetFilter: "nftables", ...linkAndListeners, chains: nftRules(input, families) };
    case "iptables":
      return { packetFilter: "iptables", ...linkAndListeners, families: iptablesRules(input, families) };
  }
}

// The service IP only where the cache listens on it: otherwise it would just give the node's own queries an odd source.
function linkAddresses({ linkLocal, probe, listeners }: FamilyAddresses): string[] {
  return [...new Set([linkLocal, probe, ...listeners.map(({ address }) => address)])];
}
