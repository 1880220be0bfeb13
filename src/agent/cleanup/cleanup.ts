import type { AgentConfig } from "../../model/agent-config/agent-config";
import { errorMessage } from "../errors";
import { countLinkLocalPackets } from "../kernel/iptables";
import { countLinkLocalQueries } from "../kernel/nft";
import { nodeRules } from "../kernel/node-rules";
import { removeAll } from "../kernel/removal";
import type { Logger } from "../log";
import { whoStillAsks } from "./in-use";
import { patiently } from "./patiently";

export interface CleanupOptions {
  /** Removes even if the link-local address is in use, or the state is not `removed`. */
  readonly force: boolean;
  /** How long the link-local address must not have been queried. */
  readonly watchSeconds: number;
}

/** Removes rules, chains and link of any configuration. @returns Why it refused, or whether there was anything. */
export async function cleanup(
  config: AgentConfig,
  log: Logger,
  { force, watchSeconds }: CleanupOptions,
): Promise<{ readonly refusal: string } | { readonly hadAny: boolean }> {
  if (config.state !== "removed" && !force)
    return {
      refusal: `state is ${config.state}, not removed: rules and link are in use; set nodeLocalDNS.state to removed or pass --force`,
    };
  const { linkLocalIPs: addresses } = config;
  const count = async () => (await countLinkLocalQueries(addresses)) + (await countLinkLocalPackets(addresses));
  const user = force
    ? undefined
    : await whoStillAsks({
        addresses,
        watchSeconds,
        count: () => patiently(count, log),
        leadPastCache: leadingPastCache(config, log),
      });
  if (user !== undefined)
    return { refusal: `${user}; restart the pods whose resolv.conf still has the address, or pass --force` };
  const removed: string[] = [];
  await patiently(() => removeAll(config.linkName, [...addresses, ...config.serviceIPs], removed), log);
  log.info({ removed }, removed.length > 0 ? "removed" : "nothing to remove");
  return { hadAny: removed.length > 0 };
}

/** Stopping caches close their sockets later; one that is still there writes its own rules again. */
function leadingPastCache(config: AgentConfig, log: Logger): () => Promise<boolean> {
  const { filter } = nodeRules({ ...config, state: "draining" });
  return async () => {
    try {
      if ((await filter.switchesIfIntact()) !== undefined || (await filter.switches()) === undefined) return false;
      await filter.install({ pods: [], host: [] });
      return true;
    } catch (error) {
      // They are about to be removed.
      log.warn(`rules as before: ${errorMessage(error)}`);
      return false;
    }
  };
}
