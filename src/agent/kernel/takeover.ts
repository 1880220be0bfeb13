import type { RuleSet } from "../../model/packet-rules/rule";
import type { Logger } from "../log";
import { chooseBackend, removeFromIptables } from "./iptables";
import { removeNftTable } from "./nft";

/**
 * Takes away, once our rules stand, what another installation left: rules of node-cache itself, whose NOTRACK has no socket match, and
 * those of our own other packet filter.
 */
export async function removeOthers(
  ruleSet: RuleSet,
  log: Logger,
  warn: (message: string) => void = (message) => log.warn(message),
): Promise<string[]> {
  const usesIptables = ruleSet.packetFilter === "iptables";
  const attempts = [
    async () =>
      removeFromIptables({
        chains: usesIptables ? { keep: await chooseBackend() } : {},
        nodeCacheAddresses: ruleSet.link.addresses,
      }),
    async () => (usesIptables && (await removeNftTable()) ? ["our table of nftables"] : []),
  ];
  const removed: string[] = [];
  for (const attempt of attempts) {
    try {
      removed.push(...(await attempt()));
    } catch (error) {
      // Ours work beside them, but for a dead cache under node-cache's NOTRACK.
      warn(`rules of an earlier installation may still be there: ${(error as Error).message}`);
    }
  }
  if (removed.length > 0) log.info({ removed }, "took over from an earlier installation");
  return removed;
}
