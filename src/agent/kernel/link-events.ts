import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A burst of events becomes one call. */
const gatherMs = 5;

const restartAfterMs = 1000;

/** Calls back soon after the link or its addresses change (`ip monitor`). @returns A function that stops it. */
export function watchLink(name: string, changed: () => void, ended: (why: string) => void): () => void {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function start(): void {
    if (stopped) return;
    const monitor = spawn("ip", ["-oneline", "monitor", "link", "address"], { stdio: ["ignore", "pipe", "ignore"] });
    child = monitor;
    monitor.once("error", (error) => restart(error.message));
    monitor.once("exit", (code, signal) => restart(`ip monitor ended: ${signal ?? `exit code ${code}`}`));
    // With no file descriptors left, it has no stdout; the error event follows.
    const { stdout }: { stdout?: Readable } = monitor;
    if (!stdout) return;
    createInterface({ input: stdout }).on("line", (line) => {
      if (!line.includes(name)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, gatherMs);
    });
  }

  function restart(why: string): void {
    if (stopped) return;
    ended(why);
    setTimeout(() => {
      start();
      // Changes may have happened while we were not watching.
      changed();
    }, restartAfterMs);
  }

  start();
  return () => {
    stopped = true;
    child?.kill();
  };
}
