import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { stoppingPath } from "../../model/node-programs";
import { serve } from "../http/server";
import type { Logger } from "../log";
import { untilTerminated } from "../shutdown";
import { createClusterZone } from "./cluster-zone";
import { createProbing } from "./probing";
import { createQueueWatch } from "./queue-watch";
import { createSchedule } from "./schedule";
import { createStopping } from "./stopping";
import { createWatchdog, type Watchdog } from "./watchdog";

/** Well before the kubelet kills it (`terminationGracePeriodSeconds: 5`). */
const longestStopMs = 3500;

/** Watches the cache and the node's link and rules until SIGTERM; leaves everything in place. */
export async function runWatchdog(config: AgentConfig, log: Logger): Promise<void> {
  // Nothing here runs often enough to win back what compiling it costs. With Node 24, this also saves 4 MB of 22.
  for (const flag of ["--no-opt", "--no-maglev", "--no-sparkplug", "--optimize-for-size"]) setFlagsFromString(flag);
  const watchdog = await createWatchdog(config, log);
  const { kernel, report, state } = watchdog;
  const clusterZone = createClusterZone(watchdog);
  const probing = createProbing(watchdog, () => void clusterZone.askPastCache());
  // Our rules for nftables see a hang by themselves.
  const lookAtQueues = config.packetFilter === "iptables" ? createQueueWatch(watchdog, probing) : undefined;
  const schedule = createSchedule(watchdog, probing.next, lookAtQueues, clusterZone);

  const endpoints = {
    metrics: () => report.text(),
    // A blocked event loop does not even get here.
    unhealthy: () => (schedule.sinceTickMs() > 10_000 ? "the probe timer has stopped" : undefined),
    unready() {
      const { blocked, listeners } = state();
      const unprobed = listeners.every((l) => l.judged) ? undefined : "not every listener has been probed yet";
      return blocked ?? kernel.problem() ?? unprobed;
    },
  };
  // Only there: whoever reaches the metrics must not turn the cache off.
  const commands = { [stoppingPath]: createStopping(watchdog, () => void clusterZone.askPastCache()) };
  serve({ port: config.healthPort, address: "127.0.0.1" }, { ...endpoints, commands }, report.complain);
  serve({ port: config.metrics.port, address: addressOf(config.metrics.address) }, endpoints, report.complain);

  report.started(state());
  const stopWatching = schedule.start();
  await untilTerminated();
  await untilStopped(watchdog);
  stopWatching();
  log.info("stopping; link and rules stay in place");
  process.exit(0);
}

/** What this one leaves in the kernel stays, even if no other follows: no switch may stay off because a cache stopped. */
async function untilStopped({ state, dispatch, kernel }: Watchdog): Promise<void> {
  if (!state().stopping) return;
  const giveUpAt = performance.now() + longestStopMs;
  while (state().stopping && performance.now() < giveUpAt) await sleep(50);
  if (state().stopping) dispatch({ kind: "stopping", stopping: false, at: performance.now() });
  await kernel.done();
}

// Outside a pod the variable is not set, and what is meant for the node alone must not be open to everyone.
function addressOf(given: string): string {
  return given.startsWith("$") ? (process.env[given.slice(1)] ?? "127.0.0.1") : given;
}
