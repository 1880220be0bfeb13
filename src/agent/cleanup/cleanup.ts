import type { AgentConfig } from "../../model/agent-config/agent-config";
import { removeFromIptables } from "../kernel/iptables";
import { deleteLink } from "../kernel/link";
import { removeNftTable } from "../kernel/nft";
import type { Logger } from "../log";
import { whoStillAsks } from "./in-use";

export interface CleanupOptions {
  /** Also while the link-local address is in use. */
  readonly force: boolean;
  /** Milliseconds to watch for queries. */
  readonly watchFor: number;
}

/**
 * Takes away rules, chains and the link, of both packet filters and both backends of iptables, whatever the configuration was before.
 * @returns What it removed, or why it refused.
 */
export async function cleanup(
  config: AgentConfig,
  log: Logger,
  { force, watchFor }: CleanupOptions,
): Promise<{ removed: string[] } | { refused: string }> {
  if (config.state !== "removed" && !force) {
    return {
      refused: `state is ${config.state}, not removed: rules and link are in use; set nodeLocalDNS.state to removed, or pass --force`,
    };
  }
  const user = force ? undefined : await whoStillAsks(config, watchFor);
  if (user !== undefined) {
    return { refused: `${user}; restart the pods that still have the address in their resolv.conf, or pass --force` };
  }
  // Rules before the link: a rule that leads to an address that is gone would be worse than the other way round.
  const removed = [
    ...((await removeNftTable()) ? ["our nftables table"] : []),
    ...(await removeFromIptables()),
    ...((await deleteLink(config.linkName)) ? [`link ${config.linkName}`] : []),
  ];
  log.info({ removed }, removed.length > 0 ? "removed" : "there was nothing to remove");
  return { removed };
}
