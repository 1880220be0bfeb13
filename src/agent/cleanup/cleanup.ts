import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { errorMessage } from "../errors";
import { countLinkLocalPackets } from "../kernel/iptables";
import { countLinkLocalQueries } from "../kernel/nft";
import { nodeRules } from "../kernel/node-rules";
import { removeAll } from "../kernel/removal";
import type { Logger } from "../log";

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

/** On a busy node, a command may fail: that costs no day of watching. More failures in a row are no accident. */
const tries = 3;

const pauseMs = 5000;

/** Tries again what fails. @throws Error The last try's. */
export async function patiently<T>(work: () => Promise<T>, log: Logger, pause = pauseMs): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === tries) throw error;
      log.warn(`tries again: ${errorMessage(error)}`);
      await sleep(pause);
    }
  }
}

const readingSeconds = 60;

interface Watch {
  readonly addresses: readonly string[];
  readonly watchSeconds: number;
  /** Reads how many packets the addresses got so far; rules that are written anew count from zero. */
  readonly count: () => Promise<number>;
  /** Called before each interval that is watched. @returns Whether it wrote the rules anew. */
  readonly leadPastCache: () => Promise<boolean>;
}

/** Who would lose DNS with the link-local address; undefined if nobody asked while we watched. @throws Error */
export async function whoStillAsks(watch: Watch, perReading = readingSeconds): Promise<string | undefined> {
  const { addresses, watchSeconds, count, leadPastCache } = watch;
  let before: number | undefined;
  for (let left = watchSeconds; left > 0; left -= perReading) {
    // From the last reading on, so that who asks between two intervals is found, too.
    if ((await leadPastCache()) || before === undefined) before = await count();
    const seconds = Math.min(left, perReading);
    await sleep(seconds * 1000);
    const after = await count();
    const packets = after < before ? after : after - before;
    if (packets > 0) return `${addresses.join(" and ")} got ${packets} packets in the last ${seconds} seconds`;
    before = after;
  }
  return undefined;
}
