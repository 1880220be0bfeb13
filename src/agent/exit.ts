import { writeFileSync } from "node:fs";
import { errorMessage } from "./errors";
import type { Logger } from "./log";

/** Writes the reason to the log and to the pod's status, and sets the exit code. */
export function fail(log: Logger, error: unknown): void {
  const message = errorMessage(error);
  log.fatal(message);
  process.exitCode = 1;
  writeStatus(message);
}

/** What the kubelet keeps of a message, in bytes. */
export const statusBytes = 4096;

export function writeStatus(message: string, path = "/dev/termination-log"): void {
  try {
    // The kubelet creates the file; outside a pod there is none.
    writeFileSync(path, Buffer.from(message).subarray(0, statusBytes), { flag: "r+" });
  } catch {
    return;
  }
}
