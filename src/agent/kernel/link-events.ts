import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Calls `changed` soon after the link or one of its addresses changed, once for a burst. Netlink tells it, through `ip monitor`.
 * @returns Stops watching.
 */
export function watchLink(name: string, changed: () => void, ended: (why: string) => void): () => void {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function start() {
    if (stopped) return;
    const monitor = spawn("ip", ["-oneline", "monitor", "link", "address"], { stdio: ["ignore", "pipe", "ignore"] });
    child = monitor;
    createInterface({ input: monitor.stdout }).on("line", (line) => {
      if (!line.includes(name)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, 5);
    });
    monitor.once("error", (error) => ended(error.message));
    monitor.once("exit", (code, signal) => {
      if (stopped) return;
      ended(`ip monitor ended: ${signal ?? `exit code ${code}`}`);
      // Something may have changed in the meantime.
      setTimeout(() => {
        start();
        changed();
      }, 1000);
    });
  }

  start();
  return () => {
    stopped = true;
    child?.kill();
  };
}
