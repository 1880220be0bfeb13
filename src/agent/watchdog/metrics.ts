import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { listenerName, type Listener } from "../../model/packet-rules/listener";
import type { WatchdogState } from "./state";

/** The watchdog's metrics. prom-client's default ones are left out: their event loop monitor alone costs more than all the probing. */
export function createMetrics(listeners: readonly Listener[], now: () => number) {
  const registers = [new Registry()];
  const name = (rest: string) => `node_local_dns_watchdog_${rest}`;
  const gauge = (rest: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: name(rest), help, labelNames, registers });
  const counter = (rest: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: name(rest), help, labelNames, registers });

  const up = gauge("cache_up", "Whether the cache answered the last probe of a listener", ["listener"]);
  const local = gauge("local", "Whether queries of pods are led to the cache (1) or to the cluster DNS (0)", [
    "listener",
  ]);
  const hostLocal = gauge("host_local", "Whether queries of the node's own processes are led to the cache", [
    "listener",
  ]);
  const sinceGood = gauge("seconds_since_good_probe", "Since the cache last answered a probe of a listener", [
    "listener",
  ]);
  const clusterDNS = gauge("cluster_dns_up", "Whether the cluster DNS answered when it was last asked past the cache");
  const repliesLost = gauge("replies_lost", "Whether requests that the cache takes get no replies through to pods", [
    "listener",
  ]);
  const blocked = gauge("blocked", "Whether the node's own packet rules would drop queries to the cache");
  const applied = gauge("rules_applied", "Whether the last write of link, addresses and rules succeeded");
  const seconds = new Histogram({
    name: name("probe_seconds"),
    help: "Time until the cache answered a probe",
    labelNames: ["protocol"],
    // A cache on the same node answers in under a millisecond; misses start at 100 ms.
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
    registers,
  });
  const flips = counter("flips_total", "Changes between cache and cluster DNS", ["listener", "to", "reason"]);
  const repairs = counter("repairs_total", "What was found missing or changed and put right", ["kind"]);
  const errors = counter("kernel_errors_total", "Writes and readings that the kernel or a tool refused", ["work"]);
  const unmeasured = counter("unmeasured_total", "Probes that could not be made; the state is held");
  const packets = counter("packets_total", "Requests from pods that the cache took, and replies to them", [
    "listener",
    "kind",
  ]);

  const lastGood = new Map<string, number>();
  for (const kind of ["link", "address", "rules", "switches", "others"]) repairs.inc({ kind }, 0);

  return {
    up,
    repliesLost,
    flips,
    repairs,
    errors,
    unmeasured,
    packets,
    applied,

    answered(listener: Listener, milliseconds: number): void {
      lastGood.set(listenerName(listener), now());
      up.set({ listener: listenerName(listener) }, 1);
      seconds.observe({ protocol: listener.protocol }, milliseconds / 1000);
    },

    missed(listener: Listener): void {
      up.set({ listener: listenerName(listener) }, 0);
    },

    state(state: WatchdogState, host: readonly Listener[]): void {
      for (const { listener, on, reason } of state.listeners) {
        const label = { listener: listenerName(listener) };
        local.set(label, on ? 1 : 0);
        hostLocal.set(label, host.includes(listener) ? 1 : 0);
        repliesLost.set(label, !on && reason === "replies-lost" ? 1 : 0);
      }
      blocked.set(state.blocked === undefined ? 0 : 1);
      if (state.clusterDNS !== undefined) clusterDNS.set(state.clusterDNS ? 1 : 0);
    },

    /** The text for Prometheus. */
    async text(): Promise<string> {
      for (const listener of listeners.map(listenerName)) {
        const at = lastGood.get(listener);
        if (at !== undefined) sinceGood.set({ listener }, (now() - at) / 1000);
      }
      return (await Promise.all(registers.map((registry) => registry.metrics()))).join("\n");
    },
  };
}
