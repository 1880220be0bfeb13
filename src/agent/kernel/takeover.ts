import type { RuleSet } from "../../model/packet-rules/rule-set";
import type { Logger } from "../log";
import { removeFromIptables } from "./iptables";
import { chooseBackend } from "./iptables-tool";
import { removeNftTable } from "./nft";

/**
 * Once our rules are in place, removes what other installations left: rules of node-cache itself, whose NOTRACK has no socket match, and
 * our own for the other packet filter.
 */
export async function removeOthers(
  { packetFilter, link }: RuleSet,
  log: Logger,
  warn: (message: string) => void = (message) => log.warn(message),
): Promise<string[]> {
  const nodeCacheAddresses = link.addresses;
  const attempts = {
    nftables: [() => removeFromIptables({ nodeCacheAddresses })],
    iptables: [
      async () => removeFromIptables({ keep: await chooseBackend(), nodeCacheAddresses }),
      async () => ((await removeNftTable()) ? ["our nftables table"] : []),
    ],
  }[packetFilter];
  const removed: string[] = [];
  for (const attempt of attempts) {
    try {
      removed.push(...(await attempt()));
    } catch (error) {
      // Ours work beside them, except that node-cache's NOTRACK keeps sending queries to a dead cache.
      warn(`rules of an earlier installation may still be in place: ${(error as Error).message}`);
    }
  }
  if (removed.length > 0) log.info({ removed }, "took over from an earlier installation");
  return removed;
}
