import { writeFileSync } from "node:fs";
import { errorMessage } from "./errors";
import type { Logger } from "./log";

/**
 * Writes the reason to the log and to the pod's status, through the file that the kubelet reads, and sets the exit
 * code.
 */
export function fail(log: Logger, error: unknown): void {
  const message = errorMessage(error);
  log.fatal(message);
  process.exitCode = 1;
  try {
    // The kubelet keeps 4096 bytes. It creates the file; outside a pod there is none.
    writeFileSync("/dev/termination-log", message.slice(0, 4000), { flag: "r+" });
  } catch {
    return;
  }
}
