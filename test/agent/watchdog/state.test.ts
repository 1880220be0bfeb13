import { describe, expect, test } from "vitest";
import {
  calm as isCalm,
  deserted,
  flipped,
  initialState,
  next,
  undecided,
  urgent,
  wantedSwitches,
} from "../../../src/agent/watchdog/state";
import type { WatchdogEvent, WatchdogState } from "../../../src/agent/watchdog/state";
import { type Thresholds } from "../../../src/model/agent-config/thresholds";
import { type Listener } from "../../../src/model/packet-rules/listener";
import {
  after,
  answers,
  calm,
  counts,
  late,
  listeners,
  misses,
  off,
  on,
  pods,
  refusal,
  repeat,
  stopping,
  tcp,
  thresholds,
  udp,
  zone,
} from "./events";

const stops = stopping(true, 5000);

test("starts with what the kernel has, and sends the host's processes to the cache only once it has answered", () => {
  const present = { pods: listeners, host: [udp] };
  const started = initialState(listeners, present, thresholds);
  expect(wantedSwitches(started)).toEqual(present);
  expect(wantedSwitches(after(started, ...misses(udp, 0, 1)))).toEqual({ pods: listeners, host: [] });
  expect(wantedSwitches(after(on, ...answers(udp, 0, 1)))).toEqual({ pods: listeners, host: [udp] });
});

test("brings a listener into use once it has answered often enough in a row", () => {
  expect(pods(after(off, ...answers(udp, 0, thresholds.successes - 1)))).toEqual([]);
  expect(pods(after(off, ...answers(udp)))).toEqual([udp]);
  const broken = [...answers(udp, 0, thresholds.successes - 1), ...misses(udp, 1000, 1), ...answers(udp, 2000, 1)];
  expect(pods(after(off, ...broken))).toEqual([]);
});

describe("while a cache stops", () => {
  const stopped = after(calm, stops);

  test("uses none, and all again once it has stopped", () => {
    expect(wantedSwitches(stopped)).toEqual({ pods: [], host: [] });
    expect(wantedSwitches(after(stopped, stopping(false, 6000)))).toEqual(wantedSwitches(calm));
  });

  test("concludes nothing from what its unread socket swallows, but sends the host's processes to none of it", () => {
    const swallowed = [...misses(udp, 5100, 20), late(tcp, 5700), ...repeat(5, (i) => zone(false, true, 5800 + i))];
    const later = after(stopped, ...swallowed, stopping(false, 6000));
    expect(wantedSwitches(later)).toEqual({ pods: listeners, host: [tcp] });
    expect(isCalm(later, 6000, thresholds)).toBe(true);
  });

  test("keeps it in use if nothing else answers, until something does", () => {
    const held = after(calm, zone(undefined, false, 4000), stops);
    expect(pods(held)).toEqual(listeners);
    expect(undecided(held, thresholds)).toBe(true);
    const released = after(held, zone(undefined, true, 6000));
    expect(pods(released)).toEqual([]);
    expect(undecided(released, thresholds)).toBe(false);
  });
});

test("takes only the listener that misses out of use, after the configured number of misses", () => {
  expect(pods(after(calm, ...misses(udp, 5000, thresholds.failures - 1)))).toEqual(listeners);
  const takenOut = after(calm, ...misses(udp, 5000));
  expect(wantedSwitches(takenOut)).toEqual({ pods: [tcp], host: [tcp] });
  expect(flipped(calm, takenOut)).toMatchObject([{ listener: udp, on: false, reason: "missed" }]);
});

const linkLocal: Listener = { address: "169.254.20.10", protocol: "udp" };
const both = initialState([udp, linkLocal], { pods: [udp, linkLocal], host: [] }, thresholds);
const blocked: WatchdogEvent = { kind: "blocked", why: "a", at: 0 };
const dead = after(calm, zone(undefined, false, 2000));
test.each<[what: string, state: WatchdogState, events: WatchdogEvent[], used: Listener[]]>([
  ["one of two addresses of a protocol misses", both, misses(udp, 0), [linkLocal]],
  ["one refuses: the kernel reports that nothing listens", on, [refusal(tcp, 0)], [udp]],
  ["one refuses while the cluster DNS is dead: the kernel would not ask it", dead, [refusal(udp, 3000)], [tcp]],
  ["the node's rules would drop queries", on, [blocked, ...answers(udp, 10_000), ...answers(tcp, 10_000)], []],
  ["a cache stops that has no socket there", calm, [stops, refusal(udp, 5100), stopping(false, 6000)], [tcp]],
])("takes out of use at once where %s", (_, state, events, used) =>
  expect(pods(after(state, ...events))).toEqual(used),
);

test("diverts the host's processes at the first miss: no socket match protects them", () => {
  expect(wantedSwitches(after(on, ...answers(udp), ...misses(udp, 5000, 1)))).toEqual({ pods: listeners, host: [] });
});

test("takes a listener out of use that misses often enough within the window, though never in a row", () => {
  const kinds = ["missed", "answered"] as const;
  const event = (i: number) => ({ kind: kinds[i % 2] ?? "missed", listener: udp, at: i * 1000 });
  const flaky = repeat(2 * thresholds.windowFailures, event);
  const takenOut = after(on, ...flaky);
  expect(takenOut.listeners[0]).toMatchObject({ on: false, reason: "missed-often" });
  // The misses for which it was taken out of use do not count again.
  const back = after(takenOut, ...answers(udp, 25_000), late(tcp, 26_000));
  expect(pods(back)).toEqual(listeners);
});

test("remembers misses no longer than the window", () => {
  const gap = thresholds.windowMs / 4;
  const state = after(off, ...repeat(100, (i) => ({ kind: "missed", listener: udp, at: i * gap })));
  expect(state.listeners[0]?.missedAt).toHaveLength(4);
});

describe("is not brought back", () => {
  const backAfter = (state: WatchdogState) => state.listeners[0]?.backAfter;
  const flips = (count: number, gap: number) => {
    let [state, at] = [calm, 10_000];
    for (let i = 0; i < count; i++, at += gap) {
      state = after(state, ...answers(udp, at), refusal(udp, at + 1000));
      expect(state.listeners[0]).toMatchObject({ on: false, reason: "refused" });
    }
    return { state, takenOutAt: at - gap + 1000 };
  };

  test("too early, however well it answers", () => {
    const takenOut = after(calm, refusal(udp, 10_000));
    const since = (at: number) => pods(after(takenOut, ...answers(udp, 10_100, 10), ...answers(udp, at, 1)));
    expect(since(9_999 + thresholds.recoverAfterMs)).toEqual([tcp]);
    expect(since(10_000 + thresholds.recoverAfterMs)).toEqual(listeners);
  });

  test.each([
    ...[1, 2, 3, 4, 5].map((count) => [count, 70_000, thresholds.recoverAfterMs * 2 ** (count - 1)] as const),
    [8, 70_000, thresholds.recoverMaxMs],
    // Flips long ago do not count.
    [3, thresholds.flapWindowMs, thresholds.recoverAfterMs],
  ])("before a wait that doubles with every flip, up to the longest: %s, each %s ms after the last", (...row) => {
    const [count, gap, wait] = row;
    const { state, takenOutAt } = flips(count, gap);
    expect(backAfter(state)).toBe(takenOutAt + wait);
  });
});

describe("while the cluster DNS is dead as well", () => {
  test("a listener stays in use, even if that can no longer be asked, and is taken out once it is back", () => {
    const missed = after(dead, ...misses(udp, 3000), zone(undefined, undefined, 3500));
    expect(pods(missed)).toEqual(listeners);
    expect(pods(after(missed, zone(undefined, true, 4000)))).toEqual([tcp]);
  });

  test("misses long ago do not count once the cluster DNS is back", () => {
    const missed = after(dead, ...misses(udp, 3000, thresholds.windowFailures), ...answers(udp, 4000, 1));
    expect(pods(after(missed, zone(undefined, true, 5000)))).toEqual([tcp]);
    expect(pods(after(missed, zone(undefined, true, 5000 + thresholds.windowMs)))).toEqual(listeners);
  });

  test("a cache that was out of use because the cluster DNS did better is brought back", () => {
    const failing = repeat(thresholds.clusterFailures, (i) => zone(false, true, 5000 + i));
    const takenOut = after(calm, ...failing);
    expect(pods(takenOut)).toEqual([]);
    expect(pods(after(takenOut, zone(undefined, false, 6000), ...answers(udp, 20_000)))).toEqual([udp]);
  });
});

describe("asked for names of the cluster", () => {
  type Result = readonly [through: boolean | undefined, past: boolean | undefined];
  const series = (...results: readonly Result[]) =>
    results.map(([through, past], i) => zone(through, past, 2000 + i * 5000));
  const better = Array.from({ length: thresholds.clusterFailures }, (): Result => [false, true]);

  test("a cache that fails while the cluster DNS does not is taken out of use", () => {
    expect(pods(after(calm, ...series(...better.slice(1))))).toEqual(listeners);
    const takenOut = after(calm, ...series(...better));
    expect(wantedSwitches(takenOut)).toEqual({ pods: [], host: [] });
    expect(takenOut.listeners).toMatchObject([{ reason: "cluster-zone" }, { reason: "cluster-zone" }]);
  });

  test.each<[what: string, results: readonly Result[]]>([
    ["that fails now and then", [...better.slice(1), [true, true], ...better.slice(1)]],
    ["that fails while it is unknown whether the cluster DNS does better", better.map(() => [false, undefined])],
    ["that could not be asked", better.map(() => [undefined, true])],
    ["while the cluster DNS was dead in between", [...better.slice(1), [false, false], [false, true]]],
  ])("but not one %s", (_what, results) => {
    expect(pods(after(calm, ...series(...results)))).toEqual(listeners);
  });

  test("and it is brought back after as many good answers in a row", () => {
    const good = (...through: boolean[]) => through.map((each, i) => zone(each, true, 60_000 + i * 5000));
    const takenOut = after(calm, ...series(...better), ...answers(udp, 50_000));
    expect(pods(after(takenOut, ...good(true, true)))).toEqual([]);
    expect(pods(after(takenOut, ...good(true, true, false, true, true)))).toEqual([]);
    expect(pods(after(takenOut, ...good(true, true, true)))).toEqual([udp]);
  });
});

describe("replies that do not get through", () => {
  const lost = (at: number) => [counts(0, at), counts(0, at + 1000)];
  const first = (state: WatchdogState) => state.listeners[0];

  test("in the configured number of readings take it out of use; it is tried again after 1, 2 ... 30 minutes", () => {
    let [state, at] = [calm, 5000];
    for (const minutes of [1, 2, 4, 8, 16, 30, 30]) {
      expect(first(after(state, counts(0, at)))).toMatchObject({ on: true });
      state = after(state, ...lost(at));
      const backAfter = at + 1000 + minutes * 60_000;
      expect(first(state)).toMatchObject({ on: false, reason: "replies-lost", backAfter, lostReplies: 0 });
      at = backAfter + 10_000;
      state = after(state, ...answers(udp, backAfter));
      expect(first(state)).toMatchObject({ on: true });
    }
  });

  test("are not assumed from some lost replies, few requests, or a reading now and then", () => {
    const enough = thresholds.countShare * 100;
    expect(pods(after(on, ...repeat(5, (i) => counts(enough, i * 1000))))).toEqual(listeners);
    expect(pods(after(on, ...repeat(5, (i) => counts(0, i * 1e3, thresholds.countRequests - 1))))).toEqual(listeners);
    expect(pods(after(on, counts(0, 1000), counts(100, 2000), counts(0, 3000)))).toEqual(listeners);
  });

  test("to one client alone, or to few of many, do not take the cache out of use for all", () => {
    const one = { asked: 1, answered: 0 };
    const few = { asked: 5, answered: thresholds.countShare * 5 };
    for (const clients of [one, few])
      expect(pods(after(on, ...repeat(5, (i) => counts(0, i * 1000, 5000, clients))))).toEqual(listeners);
    const most = { asked: 6, answered: 1 };
    expect(pods(after(on, ...repeat(2, (i) => counts(0, i * 1000, 5000, most))))).toEqual([tcp]);
  });

  test("and then do again: the next trial waits for a minute, as the first did", () => {
    const back = after(calm, ...lost(5000), ...answers(udp, 70_000), counts(100, 75_000));
    expect(first(after(back, ...lost(80_000)))).toMatchObject({ on: false, backAfter: 81_000 + 60_000 });
  });

  test("while it is out of use do not count once it is back", () => {
    const takenOut = after(calm, ...misses(udp, 5000), ...lost(6000));
    expect(pods(after(takenOut, ...answers(udp, 10_000), late(udp, 11_000)))).toEqual(listeners);
  });

  test("do not change how long a listener waits that was taken out of use for another reason", () => {
    const takenOut = after(calm, ...misses(udp, 5000));
    expect(first(takenOut)?.backAfter).toBe(5050 + thresholds.recoverAfterMs);
    expect(first(after(takenOut, ...answers(udp, 10_000), ...lost(20_000)))).toMatchObject({ backAfter: 81_000 });
  });

  test("do not shorten the wait of a listener that was taken out of use often", () => {
    const hasty: Thresholds = { ...thresholds, countRetryMs: 1 };
    const takenOut = [...answers(udp), ...lost(5000)].reduce(
      (state, event) => next(state, event, hasty),
      initialState(listeners, { pods: listeners, host: [] }, hasty),
    );
    expect(first(takenOut)?.backAfter).toBe(6000 + thresholds.recoverAfterMs);
  });
});

describe("probes fast", () => {
  test("listeners that it has no result for, in use or not", () => {
    expect(urgent(off, thresholds)).toEqual(listeners);
    expect(urgent(after(off, ...misses(udp, 0, 1)), thresholds)).toEqual([tcp]);
    expect(urgent(after(off, ...answers(tcp, 0, 1)), thresholds)).toEqual([udp]);
  });

  const [miss] = misses(udp, 5000, 1) as [WatchdogEvent];
  test.each(Object.entries({ "a late answer": late(udp, 5000), "a miss": miss }))(
    "all listeners after %s until the situation is clear",
    (_what, event) => {
      expect(urgent(calm, thresholds)).toEqual([]);
      const doubt = after(calm, event);
      expect(urgent(doubt, thresholds)).toEqual(listeners);
      expect(urgent(after(doubt, ...misses(tcp, 5100), ...answers(udp, 5200, 1)), thresholds)).toEqual([]);
    },
  );

  test("no listener that is out of use, nor others because of it", () => {
    const takenOut = after(calm, refusal(udp, 5000), ...answers(tcp, 5200, 1));
    expect(urgent(after(takenOut, ...misses(udp, 6000, 1)), thresholds)).toEqual([]);
    expect(urgent(after(takenOut, late(udp, 6000)), thresholds)).toEqual([]);
    expect(urgent(after(takenOut, late(tcp, 6000)), thresholds)).toEqual([tcp]);
  });

  test("no listener that has missed often enough, though it stays in use because the cluster DNS is dead", () => {
    const held = after(dead, ...misses(udp, 3000), ...answers(tcp, 3200, 1));
    expect(pods(held)).toEqual(listeners);
    expect(urgent(held, thresholds)).toEqual([]);
  });
});

test("is calm while every listener is in use, and none has missed a probe lately", () => {
  const calmAt = (state: WatchdogState, at: number) => isCalm(state, at, thresholds);
  expect(calmAt(calm, 5000)).toBe(true);
  expect(calmAt(on, 5000)).toBe(false);
  expect(calmAt(after(calm, late(udp, 5000)), 5000)).toBe(false);
  expect(calmAt(after(calm, refusal(udp, 5000)), 90_000)).toBe(false);
  const missedOnce = after(calm, ...misses(udp, 5000, 1), ...answers(udp, 6000), ...answers(tcp, 6000));
  expect(calmAt(missedOnce, 5000 + thresholds.windowMs - 1)).toBe(false);
  expect(calmAt(missedOnce, 5000 + thresholds.windowMs)).toBe(true);
  expect(calmAt(initialState([], { pods: [], host: [] }, thresholds), 5000)).toBe(false);
});

test("has nothing to watch closely if nothing ever listened", () => {
  const nobody = after(off, refusal(udp, 0), refusal(tcp, 0));
  expect(deserted(nobody)).toBe(true);
  expect([off, on, after(off, refusal(udp, 0))].map(deserted)).toEqual([false, false, false]);
  // It misses, so something is listening.
  expect(deserted(after(nobody, ...misses(udp, 100, 1)))).toBe(false);
});
