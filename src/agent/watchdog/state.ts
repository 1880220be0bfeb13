import type { Thresholds } from "../../model/agent-config/thresholds";
import type { Counts } from "../kernel/driver";
import { includesListener, sameListener, type Listener, type Switches } from "../../model/packet-rules/listener";

/** What the watchdog knows. Values only: events come in, and what to do comes out of `wantedSwitches`, `urgent` and `undecided`. */
export interface WatchdogState {
  readonly listeners: readonly ListenerState[];
  /** Whether the cluster DNS answered when it was last asked past the cache; undefined until then. */
  readonly clusterDNS: boolean | undefined;
  readonly clusterZone: {
    /** Questions in a row that failed through the cache while the cluster DNS answered. */
    readonly failures: number;
    readonly successes: number;
    /** The cache is left for it. */
    readonly left: boolean;
  };
  /** Why the node's own rules drop what the cache should get. */
  readonly blocked: string | undefined;
}

interface ListenerState {
  readonly listener: Listener;
  /** Whether queries of pods go to it. */
  readonly on: boolean;
  /** Why it is off. */
  readonly reason: Reason;
  /** Whether it has answered this watchdog, or the one before it lately; and whether any probe has had a result. */
  readonly seen: boolean;
  readonly judged: boolean;
  readonly misses: number;
  readonly successes: number;
  readonly refused: boolean;
  /** Something is wrong somewhere: ask fast until it is clear. */
  readonly suspected: boolean;
  readonly missedAt: readonly number[];
  readonly leftAt: readonly number[];
  /** It is not taken again before this time. */
  readonly backAfter: number;
  /** Readings in a row that found replies missing, and how long the next trial waits. */
  readonly lostReplies: number;
  readonly countRetryMs: number;
}

/** `starting`: never on since the watchdog started. */
type Reason = "starting" | "refused" | "missed" | "missed-often" | "cluster-zone" | "replies-lost" | "blocked";

export type WatchdogEvent = { readonly at: number } & (
  | { readonly kind: "answered" | "missed" | "refused" | "late"; readonly listener: Listener }
  /** Undefined: could not be asked. */
  | { readonly kind: "cluster-zone"; readonly through: boolean | undefined; readonly past: boolean | undefined }
  /** Since the last reading. */
  | ({ readonly kind: "counts"; readonly listener: Listener } & Counts)
  | { readonly kind: "blocked"; readonly why: string | undefined }
);

/** @param present The switches in the kernel, as a watchdog before us left them: they stay until this one knows better. */
export function initialState(listeners: readonly Listener[], present: Switches, thresholds: Thresholds): WatchdogState {
  return {
    listeners: listeners.map((listener) => ({
      listener,
      on: includesListener(present.pods, listener),
      reason: "starting",
      seen: includesListener(present.host, listener),
      judged: false,
      misses: 0,
      successes: 0,
      refused: false,
      suspected: false,
      missedAt: [],
      leftAt: [],
      backAfter: 0,
      lostReplies: 0,
      countRetryMs: thresholds.countRetryMs,
    })),
    clusterDNS: undefined,
    clusterZone: { failures: 0, successes: 0, left: false },
    blocked: undefined,
  };
}

export function next(state: WatchdogState, event: WatchdogEvent, thresholds: Thresholds): WatchdogState {
  const noted = note(state, event, thresholds);
  return { ...noted, listeners: noted.listeners.map((listener) => decide(listener, noted, event.at, thresholds)) };
}

export function wantedSwitches({ listeners }: WatchdogState): Switches {
  return {
    pods: listeners.filter(({ on }) => on).map(({ listener }) => listener),
    // No socket match protects the host's processes: only listeners that answer, and none that has just missed.
    host: listeners
      .filter(({ on, seen, misses, refused }) => on && seen && misses === 0 && !refused)
      .map(({ listener }) => listener),
  };
}

/** Listeners to ask at once and fast, because something is unclear; none: one after the other, calmly. */
export function urgent({ listeners }: WatchdogState, { failures }: Thresholds): readonly Listener[] {
  return listeners
    .filter((l) => !l.judged || (l.on && l.suspected && l.misses < failures))
    .map(({ listener }) => listener);
}

/** Whether the next question for the cluster zone may decide something: one more failure, or that a cache which hangs can be left. */
export function undecided({ listeners, clusterDNS, clusterZone }: WatchdogState, { failures }: Thresholds): boolean {
  const held = clusterDNS === false && listeners.some((l) => l.on && l.misses >= failures);
  return held || (clusterZone.failures > 0 && !clusterZone.left);
}

/** Listeners whose switch turned between two states, as they are in the second. */
export function flipped(before: WatchdogState, { listeners }: WatchdogState): readonly ListenerState[] {
  return listeners.filter(({ on }, i) => on !== before.listeners[i]?.on);
}

/** Whether there is nothing to watch closely: no cache on this node so far. */
export function deserted({ listeners }: WatchdogState): boolean {
  return listeners.every(({ on, refused }) => !on && refused);
}

function note(state: WatchdogState, event: WatchdogEvent, thresholds: Thresholds): WatchdogState {
  switch (event.kind) {
    case "blocked":
      return { ...state, blocked: event.why };
    case "cluster-zone":
      return noteClusterZone(state, event, thresholds);
    case "counts":
      return withListener(state, event.listener, (l) => noteCounts(l, event, thresholds));
    case "answered":
      return withListener(state, event.listener, (l) => {
        const successes = l.successes + 1;
        return { ...l, seen: true, judged: true, misses: 0, successes, refused: false, suspected: false };
      });
    case "missed":
    case "refused":
      return withListener(suspectOthers(state, event.listener), event.listener, (l) => ({
        ...l,
        judged: true,
        misses: l.misses + 1,
        successes: 0,
        refused: event.kind === "refused",
        missedAt: [...recent(l.missedAt, event.at, thresholds.windowMs), event.at],
      }));
    case "late":
      return suspectOthers(state, event.listener);
  }
}

// What stops one listener usually stops the whole process. A listener that has been left says nothing new.
function suspectOthers(state: WatchdogState, listener: Listener): WatchdogState {
  if (!state.listeners.some((l) => l.on && sameListener(l.listener, listener))) return state;
  return { ...state, listeners: state.listeners.map((l) => ({ ...l, suspected: true })) };
}

function noteClusterZone(
  state: WatchdogState,
  { through, past }: Extract<WatchdogEvent, { kind: "cluster-zone" }>,
  { clusterFailures }: Thresholds,
): WatchdogState {
  const { clusterZone } = state;
  const clusterDNS = past ?? state.clusterDNS;
  // Nothing else would answer: what the cache still knows is better than nothing.
  if (clusterDNS === false) return { ...state, clusterDNS, clusterZone: { failures: 0, successes: 0, left: false } };
  if (through === undefined || (!through && past !== true)) return { ...state, clusterDNS };
  const failures = through ? 0 : clusterZone.failures + 1;
  const successes = through ? clusterZone.successes + 1 : 0;
  const left = clusterZone.left ? successes < clusterFailures : failures >= clusterFailures;
  return { ...state, clusterDNS, clusterZone: { failures, successes, left } };
}

function noteCounts(
  l: ListenerState,
  { requests, replies, asked, answered }: Extract<WatchdogEvent, { kind: "counts" }>,
  { countRequests, countClients, countShare, countRetryMs }: Thresholds,
): ListenerState {
  if (requests < countRequests) return l;
  // A single client proves nothing: whatever it does must not take the cache from all others. Nor may it outweigh them.
  return asked >= countClients && replies < requests * countShare && answered < asked * countShare
    ? { ...l, lostReplies: l.lostReplies + 1 }
    : { ...l, lostReplies: 0, countRetryMs };
}

function decide(l: ListenerState, state: WatchdogState, at: number, thresholds: Thresholds): ListenerState {
  if (l.on) {
    const reason = reasonToLeave(l, state, at, thresholds);
    return reason === undefined ? l : leave(l, reason, at, thresholds);
  }
  const mayReturn = at >= l.backAfter && l.successes >= thresholds.successes && !l.refused;
  return mayReturn && !state.clusterZone.left && state.blocked === undefined
    ? { ...l, on: true, lostReplies: 0, missedAt: [] }
    : l;
}

function reasonToLeave(l: ListenerState, state: WatchdogState, at: number, thresholds: Thresholds): Reason | undefined {
  if (state.blocked !== undefined) return "blocked";
  if (l.refused) return "refused";
  if (state.clusterDNS === false) return undefined;
  if (l.misses >= thresholds.failures) return "missed";
  if (recent(l.missedAt, at, thresholds.windowMs).length >= thresholds.windowFailures) return "missed-often";
  if (l.lostReplies >= thresholds.countFailures) return "replies-lost";
  if (state.clusterZone.left) return "cluster-zone";
  return undefined;
}

function leave(l: ListenerState, reason: Reason, at: number, thresholds: Thresholds): ListenerState {
  const leftAt = [...recent(l.leftAt, at, thresholds.flapWindowMs), at];
  const wait = Math.min(thresholds.recoverAfterMs * 2 ** (leftAt.length - 1), thresholds.recoverMaxMs);
  const lost = reason === "replies-lost";
  return {
    ...l,
    on: false,
    reason,
    successes: 0,
    suspected: false,
    leftAt,
    backAfter: at + (lost ? Math.max(wait, l.countRetryMs) : wait),
    lostReplies: 0,
    countRetryMs: lost ? Math.min(l.countRetryMs * 2, thresholds.countRetryMaxMs) : l.countRetryMs,
  };
}

function withListener(
  state: WatchdogState,
  listener: Listener,
  change: (l: ListenerState) => ListenerState,
): WatchdogState {
  return { ...state, listeners: state.listeners.map((l) => (sameListener(l.listener, listener) ? change(l) : l)) };
}

function recent(times: readonly number[], at: number, length: number): readonly number[] {
  return times.filter((time) => at - time < length);
}
