import { setTimeout as sleep } from "node:timers/promises";
import { ruleInput, type AgentConfig } from "../../model/agent-config/agent-config";
import { countLinkLocalPackets } from "../kernel/iptables";
import { countLinkLocalQueries } from "../kernel/nft";

/** Who would lose DNS with the link-local address: in words, or undefined when nobody asked it while we watched. */
export async function whoStillAsks(config: AgentConfig, watchFor: number): Promise<string | undefined> {
  const { linkLocalIPs } = ruleInput(config);
  const count = async () => (await countLinkLocalQueries(linkLocalIPs)) + (await countLinkLocalPackets(linkLocalIPs));
  const before = await count();
  await sleep(watchFor);
  const queries = (await count()) - before;
  if (queries <= 0) return undefined;
  return `${linkLocalIPs.join(" and ")} got ${queries} packets in ${watchFor / 1000} seconds`;
}
