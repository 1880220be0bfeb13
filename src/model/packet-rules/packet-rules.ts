import { familyAddresses } from "./family-addresses";
import { iptablesRules } from "./iptables/rules";
import { nftRules, nftRulesPastCache } from "./nft/rules";
import type { RuleInput } from "./rule-input";
import type { RuleSet } from "./rule-set";

/** Link and rules of a node, complete, derived from the mode alone. */
export function packetRules(input: RuleInput): RuleSet {
  const families = familyAddresses(input);
  const linkAndListeners = {
    link: { name: input.linkName, addresses: families.flatMap(({ onLink }) => onLink) },
    listeners: families.flatMap(({ listeners }) => listeners),
  };
  switch (input.packetFilter) {
    case "nftables":
      return { packetFilter: "nftables", ...linkAndListeners, chains: nftRules(input, families) };
    case "iptables":
      return {
        packetFilter: "iptables",
        ...linkAndListeners,
        families: iptablesRules(input, families),
        nftPastCache: nftRulesPastCache(input, families),
      };
  }
}
