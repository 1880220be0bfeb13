import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { names, namespace } from "../../model/object-names";
import { errorMessage } from "../errors";
import { hasLink } from "../kernel/link";
import { rateLimited, type Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { cleanup, type CleanupOptions } from "./cleanup";

/** A watchdog takes a second to set up everything again. */
const settledMs = 3000;

const isBack = `link and rules are back: delete DaemonSets ${names.nodeLocalDns} and ${names.watchdog} in ${namespace}, which set them up, then restart this pod`;

/** Cleans up and then idles: a DaemonSet restarts what exits. Retries, or, with `once`, exits. @throws Error */
export async function runCleanup(
  config: AgentConfig,
  log: Logger,
  options: CleanupOptions & { readonly once: boolean },
): Promise<void> {
  if (!options.once) void untilTerminated().then(() => process.exit(0));
  const warn = rateLimited(log, "warn", 3_600_000);
  let done = await cleanup(config, log, options);
  for (; "refusal" in done; done = await cleanup(config, log, options)) {
    if (options.once) throw new Error(`refused: ${done.refusal}`);
    warn(`refused: ${done.refusal}`);
    // A state other than `removed` is refused immediately.
    await sleep(60_000);
  }
  if (done.hadAny) await sleep(settledMs);
  for (;;) {
    try {
      const back = await hasLink(config.linkName);
      if (options.once && back) throw new Error(isBack);
      if (options.once) return;
      if (back) warn(isBack);
    } catch (error) {
      if (options.once) throw error;
      warn(`not known whether link and rules are back: ${errorMessage(error)}`);
    }
    await sleep(60_000);
  }
}
