import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deserted,
  initialState,
  next,
  urgent,
  wantedSwitches,
  type WatchdogEvent,
  type WatchdogState,
} from "../../../src/agent/watchdog/state";
import { thresholdsOf } from "../../../src/model/agent-config/thresholds";
import { sameListener, type Listener } from "../../../src/model/packet-rules/listener";

const udp: Listener = { address: "10.96.0.10", protocol: "udp" };
const tcp: Listener = { address: "10.96.0.10", protocol: "tcp" };
const listeners = [udp, tcp];
const thresholds = thresholdsOf();

function after(state: WatchdogState, ...events: WatchdogEvent[]): WatchdogState {
  return events.reduce((before, event) => next(before, event, thresholds), state);
}

function repeat(count: number, event: (i: number) => WatchdogEvent): WatchdogEvent[] {
  return Array.from({ length: count }, (_, i) => event(i));
}

const on = initialState(listeners, listeners, thresholds);
const answers = (listener: Listener, from = 0, count = thresholds.successes) =>
  repeat(count, (i) => ({ kind: "answered", listener, at: from + i * 200 }));
const misses = (listener: Listener, from: number, count = thresholds.failures) =>
  repeat(count, (i) => ({ kind: "missed", listener, at: from + i * 25 }));

describe("the watchdog", () => {
  test("starts with what the kernel has, and with the host's processes past the cache until it has answered", () => {
    expect(wantedSwitches(initialState(listeners, [udp], thresholds))).toEqual({ pods: [udp], host: [] });
    expect(wantedSwitches(after(on, ...answers(udp, 0, 1)))).toEqual({ pods: listeners, host: [udp] });
  });

  test("takes a listener once it has answered often enough", () => {
    const off = initialState(listeners, [], thresholds);
    expect(wantedSwitches(after(off, ...answers(udp, 0, thresholds.successes - 1))).pods).toEqual([]);
    expect(wantedSwitches(after(off, ...answers(udp))).pods).toEqual([udp]);
  });

  test("leaves one that misses, and only that one, after as many misses as configured", () => {
    const answered = after(on, ...answers(udp), ...answers(tcp));
    expect(wantedSwitches(after(answered, ...misses(udp, 5000, 2))).pods).toEqual(listeners);
    const left = after(answered, ...misses(udp, 5000));
    expect(wantedSwitches(left)).toEqual({ pods: [tcp], host: [tcp] });
    expect(left.listeners[0]?.reason).toBe("missed");
  });

  test("takes the host's processes away at the first miss: no socket match protects them", () => {
    expect(wantedSwitches(after(on, ...answers(udp), ...misses(udp, 5000, 1)))).toEqual({ pods: listeners, host: [] });
  });

  test("leaves at once what refuses: the kernel says that nobody listens", () => {
    const left = after(on, { kind: "refused", listener: tcp, at: 0 });
    expect(wantedSwitches(left).pods).toEqual([udp]);
  });

  test("leaves what misses every now and then within the window, though never in a row", () => {
    const flaky = repeat(2 * thresholds.windowFailures, (i) => ({
      kind: i % 2 === 0 ? "missed" : "answered",
      listener: udp,
      at: i * 1000,
    }));
    const left = after(on, ...flaky);
    expect(left.listeners[0]).toMatchObject({ on: false, reason: "missed-often" });
  });

  test("stays while the cluster DNS is dead too, and leaves when that is back", () => {
    const dead = after(
      on,
      ...answers(udp),
      { kind: "cluster-zone", through: undefined, past: false, at: 2000 },
      ...misses(udp, 3000),
    );
    expect(wantedSwitches(dead).pods).toEqual(listeners);
    const back = after(dead, { kind: "cluster-zone", through: undefined, past: true, at: 4000 });
    expect(wantedSwitches(back).pods).toEqual([tcp]);
  });

  test("leaves a cache that fails for the cluster's names while the cluster DNS has them, and comes back when it does not", () => {
    const failing = repeat(thresholds.clusterFailures, (i) => ({
      kind: "cluster-zone",
      through: false,
      past: true,
      at: i * 5000,
    }));
    const left = after(on, ...answers(udp), ...answers(tcp), ...failing);
    expect(wantedSwitches(left)).toEqual({ pods: [], host: [] });
    const good = repeat(thresholds.clusterFailures, (i) => ({
      kind: "cluster-zone",
      through: true,
      past: true,
      at: 20_000 + i * 5000,
    }));
    expect(wantedSwitches(after(left, ...answers(udp, 20_000), ...good)).pods).toEqual([udp]);
  });

  test("replies that do not get through: left, tried again after a minute, then after two", () => {
    const lost = (at: number): WatchdogEvent[] =>
      repeat(2, (i) => ({ kind: "counts", listener: udp, requests: 100, replies: 0, at: at + i * 1000 }));
    let state = after(on, ...answers(udp), ...lost(5000));
    expect(state.listeners[0]).toMatchObject({ on: false, reason: "replies-lost", backAfter: 6000 + 60_000 });
    state = after(state, ...answers(udp, 66_000), ...lost(70_000));
    expect(state.listeners[0]).toMatchObject({ on: false, backAfter: 71_000 + 120_000 });
  });

  test("few requests say nothing about replies", () => {
    const few = repeat(5, (i) => ({
      kind: "counts",
      listener: udp,
      requests: thresholds.countRequests - 1,
      replies: 0,
      at: i * 4000,
    }));
    expect(wantedSwitches(after(on, ...few)).pods).toEqual(listeners);
  });

  test("leaves all while the node's own rules would drop, and takes nothing", () => {
    const blocked = after(
      on,
      { kind: "blocked", why: "INPUT drops", at: 0 },
      ...answers(udp, 10_000),
      ...answers(tcp, 10_000),
    );
    expect(wantedSwitches(blocked).pods).toEqual([]);
  });

  test("asks fast from the first doubt until it is clear, everybody", () => {
    const calm = after(on, ...answers(udp, 0, 1), ...answers(tcp, 0, 1));
    expect(urgent(calm, thresholds)).toEqual([]);
    const doubt = after(calm, { kind: "late", listener: udp, at: 5000 });
    expect(urgent(doubt, thresholds)).toEqual(listeners);
    expect(urgent(after(doubt, ...misses(tcp, 5100), ...answers(udp, 5200, 1)), thresholds)).toEqual([]);
  });

  test("has nothing to watch closely where nobody ever listened", () => {
    const nobody = after(
      initialState(listeners, [], thresholds),
      { kind: "refused", listener: udp, at: 0 },
      { kind: "refused", listener: tcp, at: 0 },
    );
    expect(deserted(nobody)).toBe(true);
    expect(deserted(on)).toBe(false);
  });
});

describe("whatever happens", () => {
  const listener = fc.constantFrom(...listeners);
  const happening = fc.oneof(
    fc.record({
      kind: fc.constantFrom("answered" as const, "missed" as const, "refused" as const, "late" as const),
      listener,
    }),
    fc.record({
      kind: fc.constant("cluster-zone" as const),
      through: fc.constantFrom(true, false, undefined),
      past: fc.constantFrom(true, false, undefined),
    }),
    fc.record({ kind: fc.constant("counts" as const), listener, requests: fc.nat(1000), replies: fc.nat(1000) }),
    fc.record({ kind: fc.constant("blocked" as const), why: fc.constantFrom("drops", undefined) }),
    // The watchdog is killed and starts again: it finds the switches as it left them.
    fc.record({ kind: fc.constant("restart" as const) }),
  );
  type Happening = WatchdogEvent | { readonly kind: "restart"; readonly at: number };
  const history = fc.array(fc.tuple(happening, fc.integer({ min: 1, max: 5000 })), { maxLength: 200 }).map((steps) => {
    let at = 0;
    return steps.map(([what, later]) => ({ ...what, at: (at += later) }) as Happening);
  });

  function follow(
    events: readonly Happening[],
    see: (before: WatchdogState, event: Happening, state: WatchdogState) => void,
  ): WatchdogState {
    let state = initialState(listeners, [], thresholds);
    for (const event of events) {
      const before = state;
      state =
        event.kind === "restart"
          ? initialState(listeners, wantedSwitches(state).pods, thresholds)
          : next(state, event, thresholds);
      see(before, event, state);
    }
    return state;
  }

  test("no listener is taken that has not just answered as often as it must", () => {
    fc.assert(
      fc.property(history, (events) => {
        const inARow = new Map<Listener, number>(listeners.map((l) => [l, 0]));
        follow(events, (before, event, state) => {
          if (event.kind === "restart") for (const l of listeners) inARow.set(l, 0);
          if (event.kind === "answered") inARow.set(event.listener, (inARow.get(event.listener) ?? 0) + 1);
          if (event.kind === "missed" || event.kind === "refused") inARow.set(event.listener, 0);
          for (const [i, l] of state.listeners.entries()) {
            if (l.on && !before.listeners[i]?.on)
              expect(inARow.get(l.listener)).toBeGreaterThanOrEqual(thresholds.successes);
          }
          for (const host of wantedSwitches(state).host) expect(inARow.get(host)).toBeGreaterThan(0);
        });
      }),
    );
  });

  test("nothing is on that refused last, or while blocked", () => {
    fc.assert(
      fc.property(history, (events) => {
        const refused = new Map<Listener, boolean>();
        let blocked = false;
        follow(events, (_before, event, state) => {
          if (event.kind === "restart") [blocked] = [false];
          if (event.kind === "restart") refused.clear();
          if (event.kind === "refused") refused.set(event.listener, true);
          if (event.kind === "answered" || event.kind === "missed") refused.set(event.listener, false);
          if (event.kind === "blocked") blocked = event.why !== undefined;
          for (const l of wantedSwitches(state).pods)
            expect([refused.get(l) ?? false, blocked]).toEqual([false, false]);
        });
      }),
    );
  });

  test("no faster back to the cache than configured, and slower the more often it was left", () => {
    fc.assert(
      fc.property(history, (events) => {
        const leftAt = new Map<Listener, number[]>(listeners.map((l) => [l, []]));
        follow(events, (before, event, state) => {
          if (event.kind === "restart") for (const l of listeners) leftAt.set(l, []);
          for (const [i, l] of state.listeners.entries()) {
            const was = before.listeners[i]?.on;
            const times = (leftAt.get(l.listener) ?? []).filter((at) => event.at - at < thresholds.flapWindow);
            if (was && !l.on) leftAt.set(l.listener, [...times, event.at]);
            if (was || !l.on || times.length === 0) continue;
            const wait = Math.min(thresholds.recoverAfter * 2 ** (times.length - 1), thresholds.recoverMax);
            expect(event.at - (times.at(-1) ?? 0)).toBeGreaterThanOrEqual(wait);
          }
        });
      }),
    );
  });

  test("a cache is not left for misses, lost replies or names while the cluster DNS is known to be dead", () => {
    fc.assert(
      fc.property(history, (events) => {
        follow(events, (before, event, state) => {
          if (event.kind === "restart" || state.clusterDNS !== false) return;
          for (const [i, l] of state.listeners.entries()) {
            if (before.listeners[i]?.on && !l.on) expect(["refused", "blocked"]).toContain(l.reason);
          }
        });
      }),
    );
  });

  test("after any history, a while of good answers leads to the cache, and a while of refusals away from it", () => {
    fc.assert(
      fc.property(history, (events) => {
        const state = follow(events, () => undefined);
        const start = (events.at(-1)?.at ?? 0) + 1;
        const wait = Math.max(thresholds.recoverMax, thresholds.countRetryMax);
        const good: WatchdogEvent[] = [{ kind: "blocked", why: undefined, at: start }];
        for (const at of [start, start + wait]) {
          for (let i = 0; i < 20; i++) {
            good.push({ kind: "cluster-zone", through: true, past: true, at: at + i });
            for (const l of listeners) good.push({ kind: "answered", listener: l, at: at + i });
          }
        }
        const recovered = after(state, ...good);
        expect(listeners.every((l) => wantedSwitches(recovered).pods.some((p) => sameListener(l, p)))).toBe(true);
        const refusals = listeners.map((l): WatchdogEvent => ({
          kind: "refused",
          listener: l,
          at: start + wait + 100,
        }));
        expect(wantedSwitches(after(recovered, ...refusals))).toEqual({ pods: [], host: [] });
      }),
    );
  });
});
