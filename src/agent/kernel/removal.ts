import type { IptablesRuleSet, RuleSet } from "../../model/packet-rules/rule-set";
import { errorMessage } from "../errors";
import type { Logger } from "../log";
import { removeArpRules } from "./arp";
import { removeFromIptables } from "./iptables";
import { chooseBackend } from "./iptables-tool";
import { deleteLink } from "./link";
import { reduceNftTable, removeNftTable } from "./nft";

/** Removes our rules, chains and link, and node-cache's rules. @param removed Gets what was, even if the rest fails. */
export async function removeAll(
  linkName: string,
  nodeCacheAddresses: readonly string[],
  removed: string[],
): Promise<void> {
  // Remove the link last: rules for an address that is gone do harm; an address without rules does not.
  await removeRules(nodeCacheAddresses, removed);
  if (await deleteLink(linkName)) removed.push(`link ${linkName}`);
}

/** Removes our rules and chains, for both packet filters, and node-cache's rules. */
export async function removeRules(nodeCacheAddresses: readonly string[], removed: string[] = []): Promise<void> {
  removed.push(...(await removeTable()));
  await removeFromIptables({ nodeCacheAddresses }, removed);
  if (await removeArpRules()) removed.push("our ARP rules");
}

interface RemoveOthersOptions {
  /** node-cache may have listened on them, even if our cache does not. */
  readonly serviceIPs: readonly string[];
  /** The previous cache may still reach the cluster DNS through our nftables table: keep that part of it. */
  readonly keepWayPastCache: boolean;
  /** What `listNftChains` read: then no other chain of iptables-nft is asked for. */
  readonly nftChains?: string | undefined;
  readonly log: Logger;
  warn(message: string): void;
}

/** Removes node-cache's rules, whose NOTRACK has no socket match, and those of our other packet filter. */
export async function removeOthers(
  ruleSet: RuleSet,
  { serviceIPs, keepWayPastCache, nftChains, log, warn }: RemoveOthersOptions,
): Promise<{ readonly removed: boolean; readonly left: boolean }> {
  const nodeCacheAddresses = [...ruleSet.link.addresses, ...serviceIPs];
  const attempts =
    ruleSet.packetFilter === "nftables"
      ? [() => removeFromIptables({ nodeCacheAddresses, nftChains })]
      : [
          async () => removeFromIptables({ keep: await chooseBackend(), nodeCacheAddresses, nftChains }),
          () => (keepWayPastCache ? reduceTable(ruleSet) : removeTable()),
        ];
  const removed: string[] = [];
  let left = false;
  for (const attempt of attempts) {
    try {
      removed.push(...(await attempt()));
    } catch (error) {
      left = true;
      // Our rules work beside them, but node-cache's NOTRACK keeps sending queries to a dead cache.
      warn(`rules of an earlier installation may still be in place: ${errorMessage(error)}`);
    }
  }
  if (removed.length > 0) log.info({ removed }, "took over from an earlier installation");
  return { removed: removed.length > 0, left };
}

async function reduceTable({ nftPastCache }: IptablesRuleSet): Promise<string[]> {
  return (await reduceNftTable(nftPastCache)) ? ["most of our nftables table"] : [];
}

async function removeTable(): Promise<string[]> {
  return (await removeNftTable()) ? ["our nftables table"] : [];
}
