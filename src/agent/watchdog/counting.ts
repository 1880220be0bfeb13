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
      const since = (count: "requests" | "replies" | "pastSilent" | "limited") =>
        (counts[i]?.[count] ?? 0) - (before[i]?.[count] ?? 0);
      const counted = {
        requests: since("requests"),
        replies: since("replies"),
        pastSilent: since("pastSilent"),
        limited: since("limited"),
      };
      // Fewer than before: the rules were rewritten, and the counters started again from zero.
      if (Object.values(counted).some((count) => count < 0)) return [];
      return [{ kind: "counts", listener, ...counted, asked, answered, at: performance.now() }];
    });
  };
}
