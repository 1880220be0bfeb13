import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { fail } from "../exit";
import type { Logger } from "../log";
import { cleanup } from "./cleanup";

/** Cleans up and stays, for a DaemonSet restarts what exits; a refusal is looked at again. `once`: exits instead. */
export async function runCleanup(
  config: AgentConfig,
  log: Logger,
  { force, once, watchSeconds }: { force: boolean; once: boolean; watchSeconds: number },
): Promise<void> {
  let result = await cleanup(config, log, { force, watchFor: watchSeconds * 1000 });
  while ("refused" in result && !once) {
    log.warn(`refused: ${result.refused}`);
    // It watches for a minute each time; a state that is not `removed` is refused at once.
    await sleep(60_000);
    result = await cleanup(config, log, { force, watchFor: watchSeconds * 1000 });
  }
  if ("refused" in result) fail(log, new Error(`refused: ${result.refused}`));
  else if (!once) await untilTerminated();
}

function untilTerminated(): Promise<void> {
  return new Promise((resolve) => {
    const stay = setInterval(() => undefined, 2 ** 30);
    process.once("SIGTERM", () => {
      clearInterval(stay);
      resolve();
    });
  });
}
