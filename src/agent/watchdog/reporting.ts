import { listenerName, type Listener } from "../../model/packet-rules/listener";
import { rateLimited, type Logger } from "../log";
import type { CountsEvent } from "./counting";
import { createMetrics } from "./metrics";
import type { ProbeResult } from "./probe";
import { flipped, wantedSwitches, type WatchdogState } from "./state";
import { repairKinds, type RepairKind, type Work } from "./work";

export type Reporting = ReturnType<typeof createReporting>;

/** Reports what the watchdog sees and does, as metrics and log lines. */
export function createReporting(log: Logger) {
  const metrics = createMetrics();
  const complain = rateLimited(log, "warn", 60_000);
  const lastGoodAt = new Map<string, number>();
  for (const kind of repairKinds) metrics.repairs.inc({ kind }, 0);

  function showState(state: WatchdogState): void {
    const { pods, host } = wantedSwitches(state);
    for (const { listener, on, reason } of state.listeners) {
      const label = { listener: listenerName(listener) };
      metrics.local.set(label, pods.includes(listener) ? 1 : 0);
      metrics.hostLocal.set(label, host.includes(listener) ? 1 : 0);
      metrics.repliesLost.set(label, !on && reason === "replies-lost" ? 1 : 0);
    }
    metrics.blocked.set(state.blocked === undefined ? 0 : 1);
    if (state.clusterDNS !== undefined) metrics.clusterDNS.set(state.clusterDNS ? 1 : 0);
  }

  return {
    complain,

    text(): Promise<string> {
      for (const [listener, at] of lastGoodAt) metrics.sinceGood.set({ listener }, (performance.now() - at) / 1000);
      return metrics.text();
    },

    started(state: WatchdogState): void {
      showState(state);
      // A counter whose first value is 1 has had no increase, as Prometheus sees it.
      for (const { listener } of state.listeners)
        for (const reason of Object.keys(explanations) as Cause[]) metrics.flips.inc(flipOf(listener, reason), 0);
      const listeners = state.listeners.map(({ listener }) => listenerName(listener));
      log.info({ listeners, on: wantedSwitches(state).pods.map(listenerName) }, "watching");
    },

    probed(probed: Listener, result: ProbeResult): void {
      const listener = listenerName(probed);
      if (result.kind === "answered") {
        lastGoodAt.set(listener, performance.now());
        metrics.seconds.observe({ protocol: probed.protocol }, result.tookMs / 1000);
      } else if (result.kind === "unmeasured") {
        metrics.unmeasured.inc();
        return complain(`${listener} cannot be probed: ${result.why}`);
      } else if (result.wrong !== undefined) complain(`${listener}: ${result.wrong}`);
      metrics.foreign.set({ listener }, result.kind === "missed" && result.foreign ? 1 : 0);
      metrics.up.set({ listener }, result.kind === "answered" ? 1 : 0);
    },

    counted({ listener, requests, replies, pastSilent, asked, answered }: CountsEvent): void {
      metrics.clientsWithoutReplies.set({ listener: listenerName(listener) }, asked - answered);
      metrics.packets.inc({ listener: listenerName(listener), kind: "requests" }, requests);
      metrics.packets.inc({ listener: listenerName(listener), kind: "replies" }, replies);
      metrics.packets.inc({ listener: listenerName(listener), kind: "past-silent" }, pastSilent);
    },

    changed(before: WatchdogState, state: WatchdogState): void {
      for (const { listener, on, ...l } of flipped(before, state)) {
        const reason = on ? "answers" : l.reason;
        const flip = flipOf(listener, reason);
        metrics.flips.inc(flip);
        const text = `queries go to the ${on ? "cache" : "cluster DNS"}: ${explanations[reason]}`;
        log[on ? "info" : "warn"](flip, text);
      }
      showState(state);
      const { blocked, clusterDNS, stopping } = state;
      if (before.stopping !== stopping)
        log.info(stopping ? "a cache stops: queries go to the cluster DNS" : "the cache has stopped, or another has");
      if (before.blocked !== blocked)
        log[blocked ? "error" : "info"](blocked ?? "nothing drops queries to the cache any longer");
      if (before.clusterDNS !== clusterDNS)
        log.info({ clusterDNS }, `the cluster DNS ${clusterDNS ? "answers" : "does not answer"}`);
    },

    leftovers(left: boolean): void {
      metrics.leftovers.set(left ? 1 : 0);
    },

    /** @param unusable In the node's file. */
    nameservers(unusable: readonly { readonly nameserver: string; readonly file: string; readonly fault: string }[]) {
      metrics.unusable.reset();
      for (const labels of unusable) metrics.unusable.set(labels, 1);
    },

    repaired(kind: RepairKind, surprising: boolean): void {
      metrics.repairs.inc({ kind });
      if (surprising) log.warn({ kind }, `repaired: ${kind}`);
    },

    /** @param failures Of all work whose last attempt failed. */
    worked(work: Work, failures: ReadonlyMap<Work, string>): void {
      const failure = failures.get(work);
      metrics.applied.set(failures.size === 0 ? 1 : 0);
      if (failure === undefined) return;
      metrics.errors.inc({ work });
      complain(failure);
    },
  };
}

/** The labels of a change between cache and cluster DNS. */
function flipOf(listener: Listener, reason: Cause) {
  return { listener: listenerName(listener), to: reason === "answers" ? "cache" : "cluster-dns", reason };
}

type Cause = keyof typeof explanations;

const explanations = {
  answers: "the cache answers",
  starting: "the cache has not answered yet",
  refused: "nothing listens",
  missed: "the cache does not answer",
  "missed-often": "the cache often does not answer",
  "cluster-zone": "the cache fails for names that the cluster DNS resolves",
  "replies-lost": "the cache's replies do not reach pods; look for a firewall on the node that drops untracked packets",
  blocked: "the node's own packet rules would drop them",
} as const;
