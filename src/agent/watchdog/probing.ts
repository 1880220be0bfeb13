import type { Listener } from "../../model/packet-rules/listener";
import { familyOf } from "../../model/syntax/addresses";
import { probe } from "./probe";
import { urgent } from "./state";
import type { Watchdog } from "./watchdog";

export type Probing = ReturnType<typeof createProbing>;

/** What is still unclear after this many fast probes cannot be measured; go back to slow probing. */
const fastRounds = 20;

/**
 * Probes the listeners: one after the other while all is well; on doubt, all doubtful ones at once and repeatedly until
 * the situation is clear.
 * @param onDoubt Called when fast probing begins.
 */
export function createProbing(
  { config, thresholds, listeners, sources, dispatch, state, kernel, report }: Watchdog,
  onDoubt: () => void,
) {
  let turn = 0;
  let rounds = 0;
  let fast: NodeJS.Timeout | undefined;
  const checkRulesSoon = atMostEvery(1000, () => kernel.request("rules"));

  async function ask(listener: Listener): Promise<void> {
    const result = await probe({
      name: config.healthZone,
      server: { address: listener.address },
      protocol: listener.protocol,
      source: sources.get(familyOf(listener.address)),
      timeoutMs: thresholds.probeTimeoutMs,
      configs: kernel.notes().configs,
      late: { afterMs: thresholds.probeLateMs, call: () => note("late", listener) },
    });
    report.probed(listener, result);
    // If our rules are gone, something else answers in the cache's place.
    if (result.kind === "missed" && result.wrong !== undefined) checkRulesSoon();
    if (result.kind !== "unmeasured") return note(result.kind, listener);
    // Usually because the address is gone.
    kernel.request("link");
    askFastWhileUrgent();
  }

  function note(kind: "answered" | "missed" | "refused" | "late", listener: Listener): void {
    dispatch({ kind, listener, at: performance.now() });
    askFastWhileUrgent();
  }

  function askFastWhileUrgent(): void {
    const unclear = urgent(state(), thresholds);
    if (unclear.length === 0) rounds = 0;
    if (unclear.length === 0 || fast !== undefined || rounds === fastRounds) return;
    if (rounds++ === 0) onDoubt();
    for (const listener of unclear) void ask(listener);
    fast = setTimeout(() => {
      fast = undefined;
      askFastWhileUrgent();
    }, thresholds.fastIntervalMs);
  }

  return {
    /** Probes the listener whose turn it is. */
    next(): void {
      const listener = listeners[turn++ % listeners.length];
      if (listener) void ask(listener);
    },

    ask: (listener: Listener) => void ask(listener),

    /** Answers are late, whatever the probes say so far. */
    doubt: (listener: Listener) => note("late", listener),
  };
}

function atMostEvery(intervalMs: number, act: () => void): () => void {
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (now - last < intervalMs) return;
    last = now;
    act();
  };
}
