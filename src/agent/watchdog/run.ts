import { ruleInput, type AgentConfig } from "../../model/agent-config/agent-config";
import { familyOf } from "../../model/syntax/addresses";
import { packetRules } from "../../model/packet-rules/packet-rules";
import { probeAddress } from "../../model/packet-rules/probe-address";
import { listenerName, sameListener, type Listener } from "../../model/packet-rules/listener";
import { serve } from "../http/server";
import { watchLink } from "../kernel/link-events";
import type { Counts } from "../kernel/driver";
import { packetFilter } from "../kernel/packet-filter";
import { rateLimited, type Logger } from "../log";
import { createCanary } from "./canary";
import { createKernelWorker, type Work } from "./kernel-worker";
import { createMetrics } from "./metrics";
import { ask, type Outcome } from "./probe";
import { deserted, initialState, next, urgent, wantedSwitches, type WatchdogEvent, type WatchdogState } from "./state";

/** Watches the cache and the node's link and rules until SIGTERM, on which it leaves everything as it is. */
export async function runWatchdog(config: AgentConfig, log: Logger): Promise<void> {
  if (config.state === "removed")
    throw new Error("state is removed: there is nothing to watch; `agent cleanup` takes away what is there");
  const { thresholds } = config;
  const ruleSet = packetRules(ruleInput(config));
  const { listeners } = ruleSet;
  const filter = packetFilter(ruleSet, thresholds.hostTimeout);
  const now = () => performance.now();
  const metrics = createMetrics(listeners, now);
  const complain = rateLimited(60_000, (message, suppressed) =>
    log.warn(suppressed > 0 ? { suppressed } : {}, message),
  );

  // The probes' own address is on the link as long as somebody has set the node up.
  const sources = new Map(config.linkLocalIPs.map((address) => [familyOf(address), probeAddress(address)]));
  const canaries = [...sources.values()].map(createCanary);
  const clusterServers = resolveServers(config.clusterZone.servers);

  const there = await filter.switches().catch((error: unknown) => complain((error as Error).message));
  let state = initialState(listeners, there?.pods ?? [], thresholds);
  let lastTick = now();
  let turn = 0;
  let counts: readonly Counts[] | undefined;
  const done = new Set<Work>();
  const failed = new Map<Work, string>();

  const worker = createKernelWorker({
    ruleSet,
    filter,
    serviceIPs: config.serviceIPs,
    rulesStand: there !== undefined,
    log,
    wanted: () => wantedSwitches(state),
    onCounts: noteCounts,
    onBlocked: (why) => happen({ kind: "blocked", why, at: now() }),
    onRepaired(kind) {
      metrics.repairs.inc({ kind });
      if (done.has("rules")) log.warn({ kind }, `put right: ${kind}`);
    },
    onResult(work, error) {
      done.add(work);
      if (error) {
        failed.set(work, error.message);
        metrics.errors.inc({ work });
        complain(error.message);
      } else failed.delete(work);
      metrics.applied.set(failed.size === 0 ? 1 : 0);
    },
  });

  function happen(event: WatchdogEvent): void {
    const before = state;
    state = next(state, event, thresholds);
    const turned = state.listeners.some((l, i) => l.on !== before.listeners[i]?.on);
    if (turned) reportFlips(before);
    const wanted = wantedSwitches(state);
    const switched = turned || wanted.host.length !== wantedSwitches(before).host.length;
    if (switched) worker.request("switches");
    if (switched || before.blocked !== state.blocked || before.clusterDNS !== state.clusterDNS)
      metrics.state(state, wanted.host);
    if (before.blocked !== state.blocked)
      log[state.blocked ? "error" : "info"](state.blocked ?? "nothing drops queries to the cache any more");
    if (before.clusterDNS !== state.clusterDNS)
      log.info(
        { clusterDNS: state.clusterDNS },
        state.clusterDNS ? "cluster DNS answers" : "cluster DNS does not answer",
      );
  }

  function reportFlips(before: WatchdogState): void {
    for (const [i, l] of state.listeners.entries()) {
      if (l.on === before.listeners[i]?.on) continue;
      const reason = l.on ? "answers" : l.reason;
      const to = l.on ? "cache" : "cluster-dns";
      metrics.flips.inc({ listener: listenerName(l.listener), to, reason });
      log[l.on ? "info" : "warn"](
        { listener: listenerName(l.listener), to, reason },
        `queries go to the ${l.on ? "cache" : "cluster DNS"}: ${explanations[reason]}`,
      );
    }
  }

  async function probe(listener: Listener): Promise<void> {
    const started = now();
    const source = sources.get(familyOf(listener.address));
    const outcome = await ask({
      name: config.healthZone,
      type: "TXT",
      server: listener.address,
      protocol: listener.protocol,
      ...(source === undefined ? {} : { source }),
      timeout: thresholds.probeTimeout,
      late: { after: thresholds.probeLate, call: () => late(listener) },
    });
    const at = now();
    if (isHealthy(outcome)) {
      metrics.answered(listener, at - started);
      happen({ kind: "answered", listener, at });
    } else if (outcome.kind === "unmeasured") {
      metrics.unmeasured.inc();
      complain(`${listenerName(listener)} cannot be probed: ${outcome.why}`);
      // Most of all because the address is gone.
      worker.request("link");
    } else {
      metrics.missed(listener);
      if (outcome.kind === "answer") {
        complain(
          `${listenerName(listener)}: got ${outcome.code} ${outcome.data.join(" ")} for ${config.healthZone}, expected TXT with pod=; somebody else answers, or the cache is broken`,
        );
        // As they do when our rules are gone.
        checkRulesSoon();
      }
      happen({ kind: outcome.kind === "refused" ? "refused" : "missed", listener, at });
    }
    askFastWhileUrgent();
  }

  const checkRulesSoon = atMostEvery(1000, () => worker.request("rules"));

  function late(listener: Listener): void {
    happen({ kind: "late", listener, at: now() });
    askFastWhileUrgent();
  }

  let fast: NodeJS.Timeout | undefined;
  let rounds = 0;
  function askFastWhileUrgent(): void {
    const unclear = urgent(state, thresholds);
    if (unclear.length === 0) rounds = 0;
    if (unclear.length === 0 || fast !== undefined || rounds === fastRounds) return;
    // Before the cache is left, it should be known whether anybody else would answer.
    if (rounds === 0) void askPastCache();
    rounds++;
    for (const listener of unclear) void probe(listener);
    fast = setTimeout(() => {
      fast = undefined;
      askFastWhileUrgent();
    }, thresholds.fastInterval);
  }

  function tick(): void {
    lastTick = now();
    const interval = thresholds.probeInterval * (deserted(state) ? 5 : 1);
    setTimeout(tick, interval);
    const listener = listeners[turn++ % listeners.length];
    if (listener) void probe(listener);
  }

  async function checkCanaries(): Promise<void> {
    for (const canary of canaries) {
      const result = await canary.check();
      if (result === "refused" || !done.has("rules")) continue;
      worker.request(result === "sent" ? "rules" : "link");
    }
  }

  async function askClusterZone(): Promise<void> {
    const [through, past] = await Promise.all([askThroughCache(), askPast()]);
    happen({ kind: "cluster-zone", through, past, at: now() });
  }

  async function askPastCache(): Promise<void> {
    happen({ kind: "cluster-zone", through: undefined, past: await askPast(), at: now() });
  }

  // Through a listener that answers: one that does not is judged by its own probes.
  async function askThroughCache(): Promise<boolean | undefined> {
    const asked = state.listeners.find((l) => l.successes > 0 && l.listener.protocol === "udp")?.listener;
    const source = asked && sources.get(familyOf(asked.address));
    if (!asked || source === undefined) return undefined;
    return judge(await askCluster(asked.address, source));
  }

  async function askPast(): Promise<boolean | undefined> {
    const results = await Promise.all(clusterServers.map(async (server) => judge(await askCluster(server))));
    return results.includes(true) ? true : results.includes(false) ? false : undefined;
  }

  function askCluster(server: string, source?: string): Promise<Outcome> {
    const type = familyOf(config.serviceIPs[0] ?? "") === "IPv6" ? "AAAA" : "A";
    const common = {
      name: config.clusterZone.name,
      type,
      server,
      protocol: "udp",
      timeout: thresholds.clusterTimeout,
    } as const;
    return ask(source === undefined ? common : { ...common, source });
  }

  function noteCounts(read: readonly Counts[]): void {
    const before = counts;
    counts = read;
    for (const [i, listener] of listeners.entries()) {
      const requests = (read[i]?.requests ?? 0) - (before?.[i]?.requests ?? 0);
      const replies = (read[i]?.replies ?? 0) - (before?.[i]?.replies ?? 0);
      // Less than before: the rules were written anew, and counting began again.
      if (!before || requests < 0 || replies < 0) continue;
      metrics.packets.inc({ listener: listenerName(listener), kind: "requests" }, requests);
      metrics.packets.inc({ listener: listenerName(listener), kind: "replies" }, replies);
      happen({ kind: "counts", listener, requests, replies, at: now() });
      if (state.listeners.some((l) => sameListener(l.listener, listener) && l.lostReplies > 0))
        setTimeout(() => worker.request("counts"), 1000);
    }
  }

  await serve(config.metrics, {
    metrics: () => metrics.text(),
    // Ticks come every second at the latest; a blocked loop does not even get here.
    unhealthy: () => (now() - lastTick > 10_000 ? "the probe timer has stopped" : undefined),
    unready() {
      if (state.blocked !== undefined) return state.blocked;
      if (failed.size > 0) return [...failed.values()].join("; ");
      if (!done.has("rules") || !done.has("link")) return "link and rules are not checked yet";
      return state.listeners.every((l) => l.judged) ? undefined : "not every listener has been probed yet";
    },
  });

  const stopWatching = watchLink(config.linkName, () => worker.request("link"), complain);
  for (const work of ["others", "rules", "link"] as const) worker.request(work);
  metrics.state(state, []);
  log.info({ listeners: listeners.map(listenerName), on: wantedSwitches(state).pods.map(listenerName) }, "watching");
  tick();
  setInterval(() => void checkCanaries(), thresholds.probeInterval);
  setInterval(() => worker.request("counts"), thresholds.countInterval);
  setInterval(() => {
    worker.request("rules");
    worker.request("link");
  }, thresholds.checkInterval);
  setInterval(() => worker.request("others"), thresholds.checkInterval * othersEvery);
  if (listeners.length > 0) {
    void askClusterZone();
    setInterval(() => void askClusterZone(), thresholds.clusterInterval);
  }

  await new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  stopWatching();
  log.info("stopping; link and rules stay");
  process.exit(0);
}

/** Of the checks: it takes ten commands, and what drops queries shows in the counts before. */
const othersEvery = 5;

/** What is not clear after so many fast probes cannot be measured; from there on it is asked calmly. */
const fastRounds = 20;

const explanations = {
  answers: "the cache answers",
  starting: "the cache has not answered yet",
  refused: "nothing listens",
  missed: "the cache does not answer",
  "missed-often": "the cache often does not answer",
  "cluster-zone": "the cache fails for names that the cluster DNS has",
  "replies-lost":
    "the cache's replies do not get through to pods; look for a firewall on the node that drops untracked packets",
  blocked: "the node's own packet rules would drop them",
} as const;

function atMostEvery(interval: number, act: () => void): () => void {
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (now - last < interval) return;
    last = now;
    act();
  };
}

function isHealthy(outcome: Outcome): boolean {
  return (
    outcome.kind === "answer" && outcome.code === "NOERROR" && outcome.data.some((text) => text.startsWith("pod="))
  );
}

function judge(outcome: Outcome): boolean | undefined {
  if (outcome.kind === "unmeasured") return undefined;
  return outcome.kind === "answer" && outcome.code === "NOERROR" && outcome.data.length > 0;
}

function resolveServers(servers: readonly string[]): string[] {
  return servers.flatMap((server) => (server.startsWith("$") ? (process.env[server.slice(1)] ?? []) : [server]));
}
