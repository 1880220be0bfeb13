import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import type { Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { cleanup, type CleanupOptions } from "./cleanup";

/**
 * Cleans up and stays, because a DaemonSet restarts what exits; after a refusal it tries again. `once`: exits instead.
 * @throws Error With `once`, if it refused.
 */
export async function runCleanup(
  config: AgentConfig,
  log: Logger,
  options: CleanupOptions & { readonly once: boolean },
): Promise<void> {
  for (;;) {
    const refusal = await cleanup(config, log, options);
    if (refusal === undefined) break;
    if (options.once) throw new Error(`refused: ${refusal}`);
    log.warn(`refused: ${refusal}`);
    // It watches for a minute each time, but refuses a state that is not `removed` at once.
    await sleep(60_000);
  }
  if (!options.once) await untilTerminated();
}
