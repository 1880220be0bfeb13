import { setTimeout as sleep } from "node:timers/promises";
import { ruleInput, type AgentConfig } from "../../model/agent-config/agent-config";

import { linkLocalQueries } from "../kernel/nft";
import { linkLocalConnections } from "../kernel/iptables";

/** Who would lose DNS with the link-local address: in words, or undefined when nobody asked it while we watched. */
export async function whoStillAsks(config: AgentConfig, watchFor: number): Promise<string | undefined> {
  const { linkLocalIPs } = ruleInput(config);
  const count = async () =>
    (await Promise.all([linkLocalQueries(linkLocalIPs), linkLocalConnections(linkLocalIPs)])).reduce(
      (a, b) => a + b,
      0,
    );
  const before = await count();
  await sleep(watchFor);
  const queries = (await count()) - before;
  if (queries <= 0) return undefined;
  return `${linkLocalIPs.join(" and ")} got ${queries} packets in ${watchFor / 1000} seconds`;
}
