import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { rateLimited, type Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { cleanup, setUpAgain, type CleanupOptions } from "./cleanup";

/**
 * Cleans up and then idles, because a DaemonSet restarts what exits; retries after a refusal. With `once`, it exits
 * instead.
 * @throws Error With `once`, if it refused.
 */
export async function runCleanup(
  config: AgentConfig,
  log: Logger,
  options: CleanupOptions & { readonly once: boolean },
): Promise<void> {
  const terminated = options.once ? undefined : untilTerminated().then(() => process.exit(0));
  const warn = rateLimited(log, "warn", 3_600_000);
  let { watchSeconds } = options;
  for (;;) {
    const refusal = await cleanup(config, log, { ...options, watchSeconds });
    if (refusal === undefined) break;
    // The address had been silent for long enough.
    if (refusal === setUpAgain) watchSeconds = Math.min(watchSeconds, 60);
    if (options.once) throw new Error(`refused: ${refusal}`);
    warn(`refused: ${refusal}`);
    // A state other than `removed` is refused immediately.
    await sleep(60_000);
  }
  await terminated;
}
