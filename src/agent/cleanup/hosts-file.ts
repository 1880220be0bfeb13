import { setTimeout as sleep } from "node:timers/promises";
import { removeOwnLines } from "../../model/node-resolver/hosts-lines";
import { replaceHostsFile, type ReplaceOptions } from "../hosts-file/replace";
import { rateLimited, type Logger } from "../log";
import { untilTerminated } from "../shutdown";

/** Looks each minute until SIGTERM, or, with `once`, exits. @throws HostsFileError if the file cannot be replaced. */
export async function runHostsFileCleanup(
  options: ReplaceOptions & { readonly once: boolean },
  log: Logger,
): Promise<void> {
  if (!options.once) void untilTerminated().then(() => process.exit(0));
  const say = rateLimited(log, "info", 3_600_000);
  for (;;) {
    try {
      const removed = (await replaceHostsFile(options, removeOwnLines)) === "replaced";
      say(removed ? `lines removed from ${options.path}` : `${options.path} has no line of ours`);
    } catch (error) {
      if (options.once || !(error instanceof Error)) throw error;
      say(error.message);
    }
    if (options.once) return;
    await sleep(60_000);
  }
}
