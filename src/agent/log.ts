import { pino, type Logger } from "pino";

export type { Logger };

/** JSON lines on standard output, written synchronously so that a killed program has logged everything it did. */
export function createLog(program: string): Logger {
  return pino(
    {
      level: process.env["LOG_LEVEL"] ?? "info",
      base: { program, node: process.env["NODE_NAME"] },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 1, sync: true }),
  );
}

/** Logs each message at most once per `intervalMs`, with the number of repetitions it suppressed. */
export function rateLimited(log: Logger, level: "info" | "warn", intervalMs: number): (message: string) => void {
  const last = new Map<string, { at: number; suppressed: number }>();
  return (message) => {
    const now = performance.now();
    const entry = last.get(message);
    if (entry && now - entry.at < intervalMs) {
      entry.suppressed += 1;
      return;
    }
    log[level](entry?.suppressed ? { suppressed: entry.suppressed } : {}, message);
    last.set(message, { at: now, suppressed: 0 });
    // Messages contain addresses and error texts: few in practice, but not under our control.
    if (last.size > 1000) last.clear();
  };
}

/** Returns whether one more line may be written in this minute, for lines that outsiders can cause. */
export function mostPerMinute(most: number): () => boolean {
  let [minute, count] = [0, 0];
  return () => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) [minute, count] = [now, 0];
    return ++count <= most;
  };
}
