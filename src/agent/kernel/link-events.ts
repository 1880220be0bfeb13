import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** A burst of events is one call. */
const gatherMs = 5;

const restartAfterMs = 1000;

/**
 * Calls back soon after the link or its addresses changed, which netlink reports through `ip monitor`.
 * @returns Stops it.
 */
export function watchLink(name: string, changed: () => void, ended: (why: string) => void): () => void {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function start(): void {
    if (stopped) return;
    const monitor = spawn("ip", ["-oneline", "monitor", "link", "address"], { stdio: ["ignore", "pipe", "ignore"] });
    child = monitor;
    createInterface({ input: monitor.stdout }).on("line", (line) => {
      if (!line.includes(name)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, gatherMs);
    });
    monitor.once("error", (error) => ended(error.message));
    monitor.once("exit", (code, signal) => {
      if (stopped) return;
      ended(`ip monitor ended: ${signal ?? `exit code ${code}`}`);
      setTimeout(() => {
        start();
        // Something may have happened while we were not looking.
        changed();
      }, restartAfterMs);
    });
  }

  start();
  return () => {
    stopped = true;
    child?.kill();
  };
}
