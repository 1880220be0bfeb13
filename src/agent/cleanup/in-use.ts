import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { errorMessage } from "../errors";
import { countLinkLocalPackets } from "../kernel/iptables";
import { countLinkLocalQueries } from "../kernel/nft";
import type { Logger } from "../log";

/** Time between two readings of the counters. */
const readingSeconds = 60;

/** A reading may fail on a busy node, and the watch, of a day, goes on. More in a row are no accident. */
const failuresInARow = 3;

/**
 * Describes who would lose DNS with the link-local address, as soon as it is known; undefined if the address was not
 * queried while we watched.
 * @param leadPastCache Called before each interval that is watched.
 * @throws Error If the counters cannot be read, several times in a row.
 */
export async function whoStillAsks(
  { linkLocalIPs }: AgentConfig,
  watchSeconds: number,
  leadPastCache: () => Promise<void>,
  log: Logger,
): Promise<string | undefined> {
  const count = async () => (await countLinkLocalQueries(linkLocalIPs)) + (await countLinkLocalPackets(linkLocalIPs));
  let failed = 0;
  for (let left = watchSeconds; left > 0;) {
    const seconds = Math.min(left, readingSeconds);
    await leadPastCache(); // rules that are written anew count from zero
    try {
      const before = await count();
      await sleep(seconds * 1000);
      const packets = (await count()) - before;
      if (packets > 0) return `${linkLocalIPs.join(" and ")} got ${packets} packets in the last ${seconds} seconds`;
      left -= seconds;
      failed = 0;
    } catch (error) {
      if (++failed === failuresInARow) throw error;
      log.warn(`watches these ${seconds} seconds again: ${errorMessage(error)}`);
      await sleep(1000);
    }
  }
  return undefined;
}
