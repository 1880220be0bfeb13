import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { countLinkLocalPackets } from "../kernel/iptables";
import { countLinkLocalQueries } from "../kernel/nft";

/** Describes who would lose DNS with the link-local address; undefined if nothing queried it while we watched. */
export async function whoStillAsks({ linkLocalIPs }: AgentConfig, watchSeconds: number): Promise<string | undefined> {
  const count = async () => (await countLinkLocalQueries(linkLocalIPs)) + (await countLinkLocalPackets(linkLocalIPs));
  const before = await count();
  await sleep(watchSeconds * 1000);
  const packets = (await count()) - before;
  return packets > 0 ? `${linkLocalIPs.join(" and ")} got ${packets} packets in ${watchSeconds} seconds` : undefined;
}
