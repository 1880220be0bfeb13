import type { Listener } from "../../model/packet-rules/listener";
import type { Counts } from "../kernel/driver";
import type { WatchdogEvent } from "./state";

export type CountsEvent = Extract<WatchdogEvent, { kind: "counts" }>;

/** Turns each reading of the kernel's counters into the difference from the previous one. */
export function createCounting(listeners: readonly Listener[]): (counts: readonly Counts[]) => CountsEvent[] {
  let last: readonly Counts[] | undefined;
  return (counts) => {
    const before = last;
    last = counts;
    if (!before) return [];
    return listeners.flatMap((listener, i) => {
      const { asked = 0, answered = 0 } = counts[i] ?? {};
      const requests = (counts[i]?.requests ?? 0) - (before[i]?.requests ?? 0);
      const replies = (counts[i]?.replies ?? 0) - (before[i]?.replies ?? 0);
      const pastSilent = (counts[i]?.pastSilent ?? 0) - (before[i]?.pastSilent ?? 0);
      // Fewer than before: the rules were rewritten, and the counters started again from zero.
      if (requests < 0 || replies < 0) return [];
      return [{ kind: "counts", listener, requests, replies, pastSilent, asked, answered, at: performance.now() }];
    });
  };
}
