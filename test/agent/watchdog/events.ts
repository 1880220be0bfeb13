import { initialState, next, wantedSwitches } from "../../../src/agent/watchdog/state";
import type { WatchdogEvent, WatchdogState } from "../../../src/agent/watchdog/state";
import { thresholdsOf } from "../../../src/model/agent-config/thresholds";
import { defaults } from "../../../src/model/defaults";
import { type Listener } from "../../../src/model/packet-rules/listener";

export const udp: Listener = { address: "10.96.0.10", protocol: "udp" };
export const tcp: Listener = { address: "10.96.0.10", protocol: "tcp" };
export const listeners = [udp, tcp];
export const thresholds = thresholdsOf(defaults.watchdogThresholds);

export function after(state: WatchdogState, ...events: WatchdogEvent[]): WatchdogState {
  return events.reduce((before, event) => next(before, event, thresholds), state);
}

export function repeat(count: number, event: (i: number) => WatchdogEvent): WatchdogEvent[] {
  return Array.from({ length: count }, (_, i) => event(i));
}

export const on = initialState(listeners, { pods: listeners, host: [] }, thresholds);
export const off = initialState(listeners, { pods: [], host: [] }, thresholds);
export const answers = (listener: Listener, from = 0, count = thresholds.successes) =>
  repeat(count, (i) => ({ kind: "answered", listener, at: from + i * 200 }));
export const misses = (listener: Listener, from: number, count = thresholds.failures) =>
  repeat(count, (i) => ({ kind: "missed", listener, at: from + i * 25 }));
export const refusal = (listener: Listener, at: number): WatchdogEvent => ({ kind: "refused", listener, at });
export const late = (listener: Listener, at: number): WatchdogEvent => ({ kind: "late", listener, at });
export function zone(through: boolean | undefined, past: boolean | undefined, at: number): WatchdogEvent {
  return { kind: "cluster-zone", through, past, at };
}
export const stopping = (is: boolean, at: number): WatchdogEvent => ({ kind: "stopping", stopping: is, at });
export const counts = (
  replies: number,
  at: number,
  requests = 100,
  clients = { asked: 5, answered: replies > 0 ? 5 : 0 },
): WatchdogEvent => ({ kind: "counts", listener: udp, requests, replies, ...clients, at });
export const calm = after(on, ...answers(udp), ...answers(tcp));
export const pods = (state: WatchdogState) => wantedSwitches(state).pods;
