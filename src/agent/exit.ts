import { writeFileSync } from "node:fs";
import type { Logger } from "./log";

/** Says why on the log and where the kubelet reads it into the pod's status, and sets the exit code. */
export function fail(log: Logger, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  log.fatal(message);
  writeTerminationMessage(message);
  process.exitCode = 1;
}

function writeTerminationMessage(message: string): void {
  try {
    // The kubelet keeps 4096 bytes. Only where it has put the file: outside of a pod there is none.
    writeFileSync("/dev/termination-log", message.slice(0, 4000), { flag: "r+" });
  } catch {
    return;
  }
}
