import { writeFileSync } from "node:fs";
import { errorMessage } from "./errors";
import type { Logger } from "./log";

/** Gives the reason on the log and in the pod's status, where the kubelet reads it, and sets the exit code. */
export function fail(log: Logger, error: unknown): void {
  const message = errorMessage(error);
  log.fatal(message);
  process.exitCode = 1;
  try {
    // The kubelet keeps 4096 bytes. Only where it has created the file: outside a pod there is none.
    writeFileSync("/dev/termination-log", message.slice(0, 4000), { flag: "r+" });
  } catch {
    return;
  }
}
