import type { RuleSet } from "../../model/packet-rules/rule";
import { errorMessage } from "../errors";
import type { Logger } from "../log";
import { chooseBackend, removeFromIptables } from "./iptables";
import { deleteLink } from "./link";
import { removeNftTable } from "./nft";

/**
 * Removes our rules, chains and link, of both packet filters and both backends of iptables.
 * @returns What it removed, in words.
 */
export async function removeOurs(linkName: string): Promise<string[]> {
  // The link last: rules for an address that is gone do harm, an address without rules does not.
  return [
    ...(await removeTable()),
    ...(await removeFromIptables({ chains: {}, nodeCacheAddresses: [] })),
    ...((await deleteLink(linkName)) ? [`link ${linkName}`] : []),
  ];
}

/**
 * Removes, once our rules are in place, what another installation left: rules of node-cache itself, whose NOTRACK has no socket match,
 * and those of our own other packet filter.
 * @returns Whether there was anything.
 */
export async function removeOthers(ruleSet: RuleSet, log: Logger, warn: (message: string) => void): Promise<boolean> {
  const usesIptables = ruleSet.packetFilter === "iptables";
  const attempts = [
    async () =>
      removeFromIptables({
        chains: usesIptables ? { keep: await chooseBackend() } : {},
        nodeCacheAddresses: ruleSet.link.addresses,
      }),
    async () => (usesIptables ? removeTable() : []),
  ];
  const removed: string[] = [];
  for (const attempt of attempts) {
    try {
      removed.push(...(await attempt()));
    } catch (error) {
      // Ours work beside them; only a dead cache under node-cache's NOTRACK would go on getting queries.
      warn(`rules of an earlier installation may still be in place: ${errorMessage(error)}`);
    }
  }
  if (removed.length > 0) log.info({ removed }, "took over from an earlier installation");
  return removed.length > 0;
}

async function removeTable(): Promise<string[]> {
  return (await removeNftTable()) ? ["our table of nftables"] : [];
}
