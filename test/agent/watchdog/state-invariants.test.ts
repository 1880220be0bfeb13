import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../rig/seed";
import { flipped, initialState, next, wantedSwitches } from "../../../src/agent/watchdog/state";
import type { WatchdogEvent, WatchdogState } from "../../../src/agent/watchdog/state";
import { sameListener, type Listener } from "../../../src/model/packet-rules/listener";
import { after, answers, late, listeners, off, pods, refusal, tcp, thresholds, udp, zone } from "./events";

type Happening = WatchdogEvent | { readonly kind: "restart"; readonly at: number };
const listener = fc.constantFrom(...listeners);
const kind = <Kind extends string>(value: Kind) => fc.constant(value);
const maybe = fc.constantFrom(true, false, undefined);
const counts = { requests: fc.nat(999), replies: fc.constantFrom(0, 1000), asked: fc.nat(5), answered: fc.nat(5) };
const happening = fc.oneof(
  { weight: 14, arbitrary: fc.record({ kind: kind("answered"), listener }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("missed"), listener }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("refused" as const, "late" as const), listener }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("cluster-zone"), through: maybe, past: maybe }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("counts"), listener, ...counts }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("blocked"), why: fc.constantFrom("drops", undefined, undefined) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("stopping"), stopping: fc.boolean() }) },
  // The watchdog is killed and restarts: it finds the switches as it left them.
  { weight: 1, arbitrary: fc.record({ kind: kind("restart") }) },
);
// Most of what it does follows from several similar events in a row, either shortly or long after each other.
const gaps = fc.constantFrom(25, 600, 600, 5000, 40_000);
const run = fc.record({ what: happening, times: fc.integer({ min: 1, max: 8 }), gap: gaps });
const history = fc.array(run, { minLength: 40, maxLength: 80 }).map((parts) => {
  let at = 0;
  return parts.flatMap(({ what, times, gap }) =>
    Array.from({ length: times }, () => ({ ...what, at: (at += gap) }) as Happening),
  );
});

type See = (before: WatchdogState, event: Happening, state: WatchdogState) => void;
function follow(events: readonly Happening[], see: See): WatchdogState {
  let state = off;
  for (const event of events) {
    const before = state;
    state =
      event.kind === "restart"
        ? initialState(listeners, wantedSwitches(state), thresholds)
        : next(state, event, thresholds);
    see(before, event, state);
  }
  return state;
}

/** Follows many histories, and ensures that what a test is about has occurred often enough to be meaningful. */
function check(often: number, see: (events: readonly Happening[], reached: () => void) => void): void {
  let count = 0;
  const seen = fc.property(history, (events) => see(events, () => count++));
  fc.assert(seen, { numRuns: runs(200) });
  expect(count).toBeGreaterThan(runs(often));
}

test("no listener is brought into use unless it has just answered often enough", () =>
  check(100, (events, reached) => {
    const inARow = new Map<Listener, number>(listeners.map((l) => [l, 0]));
    // The switch for the host's processes outlives a restart.
    const answeredLast = new Set<Listener>();
    const least = (some: readonly Listener[]) => Math.min(...some.map((l) => inARow.get(l) ?? 0));
    follow(events, (before, event, state) => {
      if (event.kind === "restart") for (const l of listeners) inARow.set(l, 0);
      if (event.kind === "answered") {
        inARow.set(event.listener, least([event.listener]) + 1);
        answeredLast.add(event.listener);
      }
      if (event.kind === "missed" || event.kind === "refused") {
        inARow.set(event.listener, 0);
        answeredLast.delete(event.listener);
      }
      const taken = flipped(before, state).filter((l) => l.on);
      if (taken.length > 0) reached();
      if (least(taken.map((l) => l.listener)) < thresholds.successes) expect(taken).toEqual([]);
      expect(wantedSwitches(state).host.filter((l) => !answeredLast.has(l))).toEqual([]);
    });
  }));

test("no listener is in use that refused last, or while blocked", () =>
  check(50, (events, reached) => {
    const refused = new Set<Listener>();
    let blocked = false;
    follow(events, (before, event, state) => {
      if (event.kind === "restart") refused.clear();
      if (event.kind === "refused") refused.add(event.listener);
      if (event.kind === "answered" || event.kind === "missed") refused.delete(event.listener);
      if (event.kind === "blocked" || event.kind === "restart")
        blocked = event.kind === "blocked" && event.why !== undefined;
      if ((blocked || event.kind === "refused") && pods(before).length > 0) reached();
      const wrong = pods(state).filter((l) => blocked || refused.has(l));
      if (wrong.length > 0) expect(wrong).toEqual([]);
    });
  }));

test("no listener is brought back sooner than configured, and later the more often it was taken out of use", () =>
  check(5, (events, reached) => {
    const takenOutAt = new Map<Listener, number[]>(listeners.map((l) => [l, []]));
    follow(events, (before, event, state) => {
      if (event.kind === "restart") {
        // What was out of use because a cache stopped begins anew.
        for (const l of listeners) takenOutAt.set(l, []);
        return;
      }
      for (const { listener: l, on: isOn } of flipped(before, state)) {
        const times = (takenOutAt.get(l) ?? []).filter((at) => event.at - at < thresholds.flapWindowMs);
        if (!isOn) takenOutAt.set(l, [...times, event.at]);
        if (!isOn || times.length === 0) continue;
        if (times.length > 1) reached();
        const wait = Math.min(thresholds.recoverAfterMs * 2 ** (times.length - 1), thresholds.recoverMaxMs);
        expect(event.at - (times.at(-1) ?? 0)).toBeGreaterThanOrEqual(wait);
      }
    });
  }));

test("misses, lost replies or names do not take a cache out of use while the cluster DNS is known to be dead", () =>
  check(100, (events, reached) => {
    follow(events, (before, event, state) => {
      if (event.kind === "restart" || state.clusterDNS !== false) return;
      for (const l of flipped(before, state)) if (!l.on) expect(["refused", "blocked"]).toContain(l.reason);
      // It would be taken out of use now if the cluster DNS were alive.
      const alive = next({ ...state, clusterDNS: true }, late(udp, event.at), thresholds);
      if (flipped(state, alive).length > 0) reached();
    });
  }));

test("after any history, good answers bring the cache back into use, and refusals take it out", () =>
  check(5, (events, reached) => {
    const state = follow(events, () => undefined);
    if (pods(state).length === 0) reached();
    const start = (events.at(-1)?.at ?? 0) + 1;
    const wait = Math.max(thresholds.recoverMaxMs, thresholds.countRetryMaxMs);
    const unblocked: WatchdogEvent = { kind: "blocked", why: undefined, at: start };
    const good: WatchdogEvent[] = [unblocked, { kind: "stopping", stopping: false, at: start }];
    for (const at of [start, start + wait]) {
      for (let i = 0; i < 20; i++)
        good.push(zone(true, true, at + i), ...answers(udp, at + i, 1), ...answers(tcp, at + i, 1));
    }
    const recovered = after(state, ...good);
    expect(listeners.every((l) => pods(recovered).some((p) => sameListener(l, p)))).toBe(true);
    const refusals = listeners.map((l) => refusal(l, start + wait + 100));
    expect(wantedSwitches(after(recovered, ...refusals))).toEqual({ pods: [], host: [] });
  }));
