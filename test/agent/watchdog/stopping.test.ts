import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { boundTo } from "../../../src/agent/watchdog/receive-queues";
import type { WatchdogEvent } from "../../../src/agent/watchdog/state";
import { createStopping } from "../../../src/agent/watchdog/stopping";
import type { Family } from "../../../src/model/syntax/addresses";

const addresses = ["10.96.0.10", "169.254.20.10"] as const;

/** The kernel's table with sockets on these addresses. */
function tableOf(sockets: readonly (readonly [address: string, inode: number])[]): string {
  const zeros = "00000000";
  const rest = `${zeros}:${zeros} 00:${zeros} ${zeros}     0        0`;
  return sockets.map(([address, inode]) => `  1: ${boundTo(address)}${rest} ${inode} 2 0 0\n`).join("");
}

const both = (inode: number) => addresses.map((address) => [address, inode] as const);

let events: boolean[];
let refused: string[];
let asked: number;
let sockets: ReturnType<typeof both>;
let told: () => void;
/** Every so many readings, one finds no socket. */
let lacking: number;
let readings: number;
let isReadable: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  [events, refused, sockets, lacking, isReadable] = [[], [], both(1), Infinity, true];
  asked = readings = 0;
  const listeners = addresses.map((address) => ({ address, protocol: "udp" }) as const);
  function dispatch(event: WatchdogEvent): void {
    if (event.kind === "stopping") events.push(event.stopping);
    if (event.kind === "refused") refused.push(`${event.listener.address} after ${events.length}`);
  }
  function readTable(family: Family): string | undefined {
    if (!isReadable) return undefined;
    return family === "IPv4" && ++readings % lacking !== 0 ? tableOf(sockets) : "";
  }
  told = createStopping({ listeners, dispatch }, () => asked++, readTable);
});
afterEach(() => void vi.useRealTimers());

/** Time passes, with these sockets from now on. */
function pass(milliseconds: number, now = sockets): void {
  sockets = now;
  vi.advanceTimersByTime(milliseconds);
}

/** The same, once a stop was told of. */
function tell(...args: Parameters<typeof pass>): void {
  told();
  pass(...args);
}

test("sends nothing there from a second before the sockets are no longer read until one of each address is gone", () => {
  tell(3900, [...both(1), ...both(2)]);
  expect(events).toEqual([]);
  pass(200);
  expect(events).toEqual([true]);
  pass(1000, [[addresses[0], 2], ...both(1).slice(1), ...both(2).slice(1)]);
  expect(events).toEqual([true]);
  pass(100, both(2));
  expect(events).toEqual([true, false]);
});

test.each<[what: string, before: typeof sockets, first: number, second: number, last: typeof sockets]>([
  ["sends nothing there until both have closed their sockets", [...both(1), ...both(2)], 1000, 4100, both(3)],
  ["the one told of first is over first, when the other begins just then", both(1), 1020, 3990, []],
])("two caches stop: %s", (_, before, first, second, last) => {
  sockets = before;
  tell(first);
  sockets = [...both(1), ...both(2)];
  tell(second);
  pass(1000, both(2));
  expect(events.at(-1)).toBe(true);
  pass(100, last);
  expect(events.at(-1)).toBe(false);
});

test("a table that cannot be read for a while shows no socket closed", () => {
  tell(4100);
  isReadable = false;
  pass(1000);
  expect([events, refused]).toEqual([[true], []]);
  isReadable = true;
  pass(100, both(2));
  expect(events).toEqual([true, false]);
});

test.each<[what: string, prepare: () => void, milliseconds: number, told: boolean[]]>([
  ["goes on until the cache should have been killed", () => {}, 13_900, [true]],
  ["gives up two seconds after that", () => {}, 14_100, [true, false]],
  ["a socket that one reading of the table lacks is not closed", () => (lacking = 2), 6000, [true]],
  ["has nothing to wait for on a node without a cache", () => (sockets = []), 4100, [true, false]],
])("%s", (_, prepare, milliseconds, expected) => {
  prepare();
  tell(milliseconds);
  expect(events).toEqual(expected);
});

test("knows that nothing listens before it says that the cache has stopped", () => {
  tell(4100);
  pass(100, [[addresses[0], 2]]);
  expect(events).toEqual([true, false]);
  expect(refused).toEqual([`${addresses[1]} after 1`]);
});

test("finds out in time whether the cluster DNS would answer, and again when it matters", () => {
  tell(2100);
  expect([asked, events]).toEqual([1, []]);
  pass(2000);
  expect([asked, events]).toEqual([2, [true]]);
});

test("follows two at once", () => {
  tell(1000);
  tell(13_100);
  expect(events.at(-1)).toBe(true);
  pass(1000);
  expect(events.at(-1)).toBe(false);
});

test("does not believe whoever tells of a stop that does not come, ever longer, until one comes", () => {
  const believed = () => {
    const before = events.length;
    tell(14_100);
    return events.length > before;
  };
  const after = (milliseconds: number) => (pass(milliseconds), believed());
  expect([0, 0, 60_000, 60_000].map(after)).toEqual([true, false, true, false]);
  pass(60_000);
  tell(5000, both(2));
  expect([0, 60_000].map(after)).toEqual([true, true]);
});

test("told twice of one stop, beside a new cache, believes whoever tells of the next", () => {
  sockets = [...both(1), ...both(2)];
  tell(1500);
  tell(4000);
  pass(20_000, both(2));
  expect(events.at(-1)).toBe(false);
  tell(4100);
  expect(events.at(-1)).toBe(true);
});

test("a node without a cache is no reason to believe sooner", () => {
  tell(14_100 + 60_000);
  sockets = [];
  tell(4100);
  sockets = both(2);
  tell(14_100 + 60_000);
  const before = events.length;
  tell(4100);
  expect(events).toHaveLength(before);
});

test("a probe that tells of it every second is wrong once, not once a second", () => {
  for (let second = 0; second < 18; second++) tell(1000);
  expect(events.at(-1)).toBe(false);
  pass(60_000);
  tell(4100);
  expect(events.at(-1)).toBe(true);
});

test("does not let whoever asks again and again make it work without end", () => {
  for (let i = 0; i < 100; i++) told();
  expect(vi.getTimerCount()).toBeLessThan(5);
});
