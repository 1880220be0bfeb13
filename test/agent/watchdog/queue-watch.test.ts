import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createQueueWatch } from "../../../src/agent/watchdog/queue-watch";
import { boundTo } from "../../../src/agent/watchdog/receive-queues";
import { initialState } from "../../../src/agent/watchdog/state";
import type { Listener } from "../../../src/model/packet-rules/listener";
import { thresholds } from "./events";

const listeners = ["10.96.0.10", "169.254.20.10"].map((address) => ({ address, protocol: "udp" }) as const);
let inUse: readonly Listener[];
/** Of each socket, in bytes. */
let queue: number;
let doubted: Listener[];
let look: () => boolean;

beforeEach(() => {
  vi.useFakeTimers();
  [inUse, queue, doubted] = [listeners, 0, []];
  const table = () =>
    listeners
      .map(({ address }) => `${boundTo(address)}00000000:${queue.toString(16).padStart(8, "0")} 00:0 0 0 0 7\n`)
      .join("");
  const state = () => initialState(listeners, { pods: inUse, host: [] }, thresholds);
  const probing = { ask: () => undefined, doubt: (listener: Listener) => void doubted.push(listener) };
  look = createQueueWatch({ listeners, state, thresholds }, probing, () => () => ({ text: table(), whole: true }));
});
afterEach(() => void vi.useRealTimers());

/** A second in which the cache reads nothing for a tenth. */
function pausedOnce(): void {
  for (let tenth = 0; tenth < 10; tenth++) {
    queue = tenth === 5 ? 768 : 0;
    look();
    vi.advanceTimersByTime(100);
  }
}

test.each([
  ["all listeners in use", listeners],
  ["another listener out of use", listeners.slice(0, 1)],
])("after a doubt without reason, no queue is looked at for 30 s: %s", (_what, used) => {
  inUse = used;
  for (let second = 0; second < 25; second++) pausedOnce();
  expect(doubted).toHaveLength(1);
  for (let second = 0; second < 10; second++) pausedOnce();
  expect(doubted).toHaveLength(2);
});

test("a doubt that took its listener out of use ends that", () => {
  pausedOnce();
  expect(doubted).toEqual([listeners[0]]);
  inUse = listeners.slice(1);
  pausedOnce();
  expect(doubted).toEqual(listeners);
});
