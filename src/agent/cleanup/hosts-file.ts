import { setTimeout as sleep } from "node:timers/promises";
import { removeLines } from "../hosts-file/remove";
import type { ReplaceOptions } from "../hosts-file/replace";
import { rateLimited, type Logger } from "../log";

/**
 * Takes the node-resolver's lines out of the hosts file, and looks again every minute until SIGTERM, because a node-resolver that is
 * still being replaced may write once more. `once`: exits instead.
 * @throws HostsFileError With `once`, when the file cannot be replaced.
 */
export async function runHostsFileCleanup(
  options: ReplaceOptions & { readonly once: boolean },
  log: Logger,
): Promise<void> {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
  const say = rateLimited(3_600_000, (message) => log.info(message));
  for (;;) {
    try {
      const removed = (await removeLines(options)) === "replaced";
      say(removed ? `lines removed from ${options.path}` : `${options.path} has no line of ours`);
    } catch (error) {
      if (options.once || !(error instanceof Error)) throw error;
      say(error.message);
    }
    if (options.once) return;
    await sleep(60_000);
  }
}
