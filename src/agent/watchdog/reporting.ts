import { listenerName, type Listener } from "../../model/packet-rules/listener";
import { rateLimited, type Logger } from "../log";
import type { UnfitSetting } from "../kernel/settings";
import type { CountsEvent } from "./counting";
import { createMetrics } from "./metrics";
import type { ProbeResult } from "./probe";
import { flipped, wantedSwitches, type WatchdogState } from "./state";
import { repairKinds, type RepairKind, type Work } from "./work";

/** Of a minute or so: there is one each ten seconds, and up to four where one is lost. */
const rememberedAnswers = 8;

/** Reports what the watchdog sees and does, as metrics and log lines. */
export class Reporting {
  readonly complain: (message: string) => void;
  private readonly metrics = createMetrics();
  private readonly lastGoodAt = new Map<string, number>();
  private readonly lastAnswers = new Map<string, readonly boolean[]>();

  constructor(private readonly log: Logger) {
    this.complain = rateLimited(log, "warn", 60_000);
    for (const kind of repairKinds) this.metrics.repairs.inc({ kind }, 0);
  }

  text(): Promise<string> {
    for (const [listener, at] of this.lastGoodAt)
      this.metrics.sinceGood.set({ listener }, (performance.now() - at) / 1000);
    return this.metrics.text();
  }

  started(state: WatchdogState): void {
    this.showState(state);
    // A counter whose first value is 1 has had no increase, as Prometheus sees it.
    for (const { listener } of state.listeners)
      for (const reason of Object.keys(explanations) as Cause[]) this.metrics.flips.inc(flipOf(listener, reason), 0);
    const listeners = state.listeners.map(({ listener }) => listenerName(listener));
    this.log.info({ listeners, on: wantedSwitches(state).pods.map(listenerName) }, "watching");
  }

  probed(probed: Listener, result: ProbeResult): void {
    const { metrics } = this;
    const listener = listenerName(probed);
    if (result.kind === "answered") {
      this.lastGoodAt.set(listener, performance.now());
      metrics.seconds.observe({ protocol: probed.protocol }, result.tookMs / 1000);
    } else if (result.kind === "unmeasured") {
      metrics.unmeasured.inc();
      return this.complain(`${listener} cannot be probed: ${result.why}`);
    } else if (result.wrong !== undefined) this.complain(`${listener}: ${result.wrong}`);
    metrics.foreign.set({ listener }, result.kind === "missed" && result.foreign ? 1 : 0);
    metrics.up.set({ listener }, result.kind === "answered" ? 1 : 0);
  }

  counted({ listener: of, requests, replies, pastSilent, limited, asked, answered }: CountsEvent): void {
    const listener = listenerName(of);
    this.metrics.clientsWithoutReplies.set({ listener }, asked - answered);
    for (const [kind, packets = 0] of Object.entries({ requests, replies, "past-silent": pastSilent, limited }))
      this.metrics.packets.inc({ listener, kind }, packets);
  }

  changed(before: WatchdogState, state: WatchdogState): void {
    const { log } = this;
    for (const { listener, on, ...l } of flipped(before, state)) {
      const reason = on ? "answers" : l.reason;
      const flip = flipOf(listener, reason);
      this.metrics.flips.inc(flip);
      const text = `queries go to the ${on ? "cache" : "cluster DNS"}: ${explanations[reason]}`;
      log[on ? "info" : "warn"](flip, text);
    }
    this.showState(state);
    const { blocked, clusterDNS, stopping } = state;
    if (before.stopping !== stopping)
      log.info(stopping ? "a cache stops: queries go to the cluster DNS" : "the cache has stopped, or another has");
    if (before.blocked !== blocked)
      log[blocked ? "error" : "info"](blocked ?? "nothing drops queries to the cache any longer");
    if (before.clusterDNS !== clusterDNS)
      log.info({ clusterDNS }, `the cluster DNS ${clusterDNS ? "answers" : "does not answer"}`);
  }

  /** One query past the cache, of which several may be sent until one is answered. */
  askedPastCache(server: string, isAnswered: boolean): void {
    const last = [...(this.lastAnswers.get(server) ?? []), isAnswered].slice(-rememberedAnswers);
    this.lastAnswers.set(server, last);
    this.metrics.answered.set({ server }, last.filter(Boolean).length / last.length);
  }

  settings(unfit: readonly UnfitSetting[]): void {
    this.metrics.unfit.reset();
    for (const { setting, value } of unfit) this.metrics.unfit.set({ setting, value }, 1);
  }

  leftovers(left: boolean): void {
    this.metrics.leftovers.set(left ? 1 : 0);
  }

  /** @param unusable In the node's file. */
  nameservers(
    unusable: readonly { readonly nameserver: string; readonly file: string; readonly fault: string }[],
  ): void {
    this.metrics.unusable.reset();
    for (const labels of unusable) this.metrics.unusable.set(labels, 1);
  }

  repaired(kind: RepairKind, surprising: boolean): void {
    this.metrics.repairs.inc({ kind });
    if (surprising) this.log.warn({ kind }, `repaired: ${kind}`);
  }

  /** @param failures Of all work whose last attempt failed. */
  worked(work: Work, failures: ReadonlyMap<Work, string>): void {
    const failure = failures.get(work);
    this.metrics.applied.set(failures.size === 0 ? 1 : 0);
    if (failure === undefined) return;
    this.metrics.errors.inc({ work });
    this.complain(failure);
  }

  private showState(state: WatchdogState): void {
    const { metrics } = this;
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
