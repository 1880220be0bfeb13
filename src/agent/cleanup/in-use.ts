import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { countLinkLocalPackets } from "../kernel/iptables";
import { countLinkLocalQueries } from "../kernel/nft";

/** Time between two readings of the counters. */
const readingSeconds = 60;

/**
 * Describes who would lose DNS with the link-local address, as soon as it is known; undefined if the address was not
 * queried while we watched.
 * @param leadPastCache Called before each interval that is watched.
 */
export async function whoStillAsks(
  { linkLocalIPs }: AgentConfig,
  watchSeconds: number,
  leadPastCache: () => Promise<void>,
): Promise<string | undefined> {
  const count = async () => (await countLinkLocalQueries(linkLocalIPs)) + (await countLinkLocalPackets(linkLocalIPs));
  for (let left = watchSeconds; left > 0; left -= readingSeconds) {
    await leadPastCache(); // rules that are written anew count from zero
    const before = await count();
    const seconds = Math.min(left, readingSeconds);
    await sleep(seconds * 1000);
    const packets = (await count()) - before;
    if (packets > 0) return `${linkLocalIPs.join(" and ")} got ${packets} packets in the last ${seconds} seconds`;
  }
  return undefined;
}
