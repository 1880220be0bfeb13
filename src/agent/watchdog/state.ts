import type { Thresholds } from "../../model/agent-config/thresholds";
import type { Counts } from "../kernel/driver";
import { includesListener, sameListener, type Listener, type Switches } from "../../model/packet-rules/listener";

/**
 * What the watchdog knows, as plain values: events come in, and `wantedSwitches`, `urgent` and `undecided` derive what
 * to do.
 */
export interface WatchdogState {
  readonly listeners: readonly ListenerState[];
  /** Whether the cluster DNS answered the last query that bypassed the cache; undefined before the first. */
  readonly clusterDNS: boolean | undefined;
  readonly clusterZone: {
    /** Consecutive queries that failed through the cache while the cluster DNS answered. */
    readonly failures: number;
    readonly successes: number;
    /** The cache is out of use because of them. */
    readonly takenOut: boolean;
  };
  /** Why the node's own rules drop queries to the cache. */
  readonly blocked: string | undefined;
  /** A cache is about to close its sockets: nothing is sent there, whatever probes say, unless nothing else answers. */
  readonly stopping: boolean;
}

interface ListenerState {
  readonly listener: Listener;
  /** In use: pods' queries go to it. */
  readonly on: boolean;
  /** Why it is out of use. */
  readonly reason: Reason;
  /** Whether it has answered this watchdog, or recently the previous one; and whether any probe has had a result. */
  readonly seen: boolean;
  readonly judged: boolean;
  readonly misses: number;
  readonly successes: number;
  readonly refused: boolean;
  /** Something is wrong somewhere: probe fast until it is clear what. */
  readonly suspected: boolean;
  readonly missedAt: readonly number[];
  readonly takenOutAt: readonly number[];
  /** It is not brought back into use before this time. */
  readonly backAfter: number;
  /** Consecutive readings that found replies missing, and how long to wait before the next trial. */
  readonly lostReplies: number;
  readonly countRetryMs: number;
}

/** `starting`: not in use since the watchdog started. */
type Reason = "starting" | "refused" | "missed" | "missed-often" | "cluster-zone" | "replies-lost" | "blocked";

export type WatchdogEvent = { readonly at: number } & (
  | { readonly kind: "answered" | "missed" | "refused" | "late"; readonly listener: Listener }
  /** Undefined: could not be asked. */
  | { readonly kind: "cluster-zone"; readonly through: boolean | undefined; readonly past: boolean | undefined }
  /** Since the last reading. */
  | ({ readonly kind: "counts"; readonly listener: Listener } & Counts)
  | { readonly kind: "blocked"; readonly why: string | undefined }
  | { readonly kind: "stopping"; readonly stopping: boolean }
);

/**
 * @param present The switches in the kernel, as the previous watchdog left them; they stay until this one knows better.
 */
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
      takenOutAt: [],
      backAfter: 0,
      lostReplies: 0,
      countRetryMs: thresholds.countRetryMs,
    })),
    clusterDNS: undefined,
    clusterZone: { failures: 0, successes: 0, takenOut: false },
    blocked: undefined,
    stopping: false,
  };
}

export function next(state: WatchdogState, event: WatchdogEvent, thresholds: Thresholds): WatchdogState {
  const noted = note(state, event, thresholds);
  return { ...noted, listeners: noted.listeners.map((listener) => decide(listener, noted, event.at, thresholds)) };
}

export function wantedSwitches({ listeners, stopping, clusterDNS }: WatchdogState): Switches {
  const inUse = stopping && clusterDNS !== false ? [] : listeners.filter(({ on }) => on);
  return {
    pods: inUse.map(({ listener }) => listener),
    // No socket match protects the host's processes: only listeners that answer and have not just missed a probe.
    host: inUse.filter(({ seen, misses, refused }) => seen && misses === 0 && !refused).map(({ listener }) => listener),
  };
}

/** Listeners to probe immediately and fast, because something is unclear; if none, probe them slowly in turn. */
export function urgent({ listeners }: WatchdogState, { failures }: Thresholds): readonly Listener[] {
  return listeners
    .filter((l) => !l.judged || (l.on && l.suspected && l.misses < failures))
    .map(({ listener }) => listener);
}

/**
 * Whether the next query for the cluster zone may decide something: it may be the failure that takes the cache out of
 * use, or show that a hung or stopping cache need not be used any longer.
 */
export function undecided(state: WatchdogState, { failures }: Thresholds): boolean {
  const { listeners, clusterDNS, clusterZone, stopping } = state;
  const held = clusterDNS === false && (stopping || listeners.some((l) => l.on && l.misses >= failures));
  return held || (clusterZone.failures > 0 && !clusterZone.takenOut);
}

/** Listeners whose switch differs between two states, as they are in the second. */
export function flipped(before: WatchdogState, { listeners }: WatchdogState): readonly ListenerState[] {
  return listeners.filter(({ on }, i) => on !== before.listeners[i]?.on);
}

/** Whether there is a cache, every listener is in use, and no recent miss waits for others to be counted with it. */
export function calm({ listeners }: WatchdogState, at: number, { windowMs }: Thresholds): boolean {
  return (
    listeners.length > 0 &&
    listeners.every((l) => l.on && l.judged && !l.suspected && recent(l.missedAt, at, windowMs).length === 0)
  );
}

/** Whether nothing needs close watching: this node has no cache so far. */
export function deserted({ listeners }: WatchdogState): boolean {
  return listeners.every(({ on, refused }) => !on && refused);
}

function note(state: WatchdogState, event: WatchdogEvent, thresholds: Thresholds): WatchdogState {
  switch (event.kind) {
    case "blocked":
      return { ...state, blocked: event.why };
    case "stopping":
      return { ...state, stopping: event.stopping };
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
      if (state.stopping) return withListener(state, event.listener, (l) => noteMissOfStopping(l, thresholds));
    // falls through
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
      return state.stopping ? state : suspectOthers(state, event.listener);
  }
}

/** Its socket may be the one that nobody reads any longer: too few misses to conclude anything, and no answer either. */
function noteMissOfStopping(l: ListenerState, { failures }: Thresholds): ListenerState {
  return { ...l, judged: true, misses: Math.min(l.misses + 1, failures - 1), successes: 0 };
}

// What stops one listener usually stops the whole process. A listener that is out of use reveals nothing new.
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
  // Nothing else would answer: what the cache still has is better than nothing.
  if (clusterDNS === false)
    return { ...state, clusterDNS, clusterZone: { failures: 0, successes: 0, takenOut: false } };
  if (through === undefined || (!through && (past !== true || state.stopping))) return { ...state, clusterDNS };
  const failures = through ? 0 : clusterZone.failures + 1;
  const successes = through ? clusterZone.successes + 1 : 0;
  const takenOut = clusterZone.takenOut ? successes < clusterFailures : failures >= clusterFailures;
  return { ...state, clusterDNS, clusterZone: { failures, successes, takenOut } };
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
    const reason = reasonToTakeOut(l, state, at, thresholds);
    return reason === undefined ? l : takeOut(l, reason, at, thresholds);
  }
  const mayComeBack = at >= l.backAfter && l.successes >= thresholds.successes && !l.refused;
  return mayComeBack && !state.clusterZone.takenOut && state.blocked === undefined
    ? { ...l, on: true, lostReplies: 0, missedAt: [] }
    : l;
}

function reasonToTakeOut(
  l: ListenerState,
  state: WatchdogState,
  at: number,
  thresholds: Thresholds,
): Reason | undefined {
  if (state.blocked !== undefined) return "blocked";
  if (l.refused) return "refused";
  if (state.clusterDNS === false) return undefined;
  if (l.misses >= thresholds.failures) return "missed";
  if (recent(l.missedAt, at, thresholds.windowMs).length >= thresholds.windowFailures) return "missed-often";
  if (l.lostReplies >= thresholds.countFailures) return "replies-lost";
  if (state.clusterZone.takenOut) return "cluster-zone";
  return undefined;
}

function takeOut(l: ListenerState, reason: Reason, at: number, thresholds: Thresholds): ListenerState {
  const takenOutAt = [...recent(l.takenOutAt, at, thresholds.flapWindowMs), at];
  const wait = Math.min(thresholds.recoverAfterMs * 2 ** (takenOutAt.length - 1), thresholds.recoverMaxMs);
  const lost = reason === "replies-lost";
  return {
    ...l,
    on: false,
    reason,
    successes: 0,
    suspected: false,
    takenOutAt,
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
