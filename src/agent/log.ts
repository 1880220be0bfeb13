import { pino, type Logger } from "pino";

export type { Logger };

/** JSON lines on standard output, written at once: a program that is killed has said what it did. */
export function createLog(program: string): Logger {
  const node = process.env["NODE_NAME"];
  return pino(
    {
      level: process.env["LOG_LEVEL"] ?? "info",
      base: node === undefined ? { program } : { program, node },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 1, sync: true }),
  );
}

/** Lets a message pass once in `interval` milliseconds, and counts those that it held back. */
export function rateLimited(
  interval: number,
  write: (message: string, suppressed: number) => void,
): (message: string) => void {
  const last = new Map<string, { at: number; suppressed: number }>();
  return (message) => {
    const now = performance.now();
    const entry = last.get(message);
    if (entry && now - entry.at < interval) {
      entry.suppressed += 1;
      return;
    }
    write(message, entry?.suppressed ?? 0);
    last.set(message, { at: now, suppressed: 0 });
    // Messages hold addresses and error texts: few, but not bounded by us.
    if (last.size > 1000) last.clear();
  };
}
