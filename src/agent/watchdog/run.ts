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
import { createWatchdog } from "./watchdog";

/** Watches the cache and the node's link and rules until SIGTERM; leaves everything in place. */
export async function runWatchdog(config: AgentConfig, log: Logger): Promise<void> {
  const watchdog = await createWatchdog(config, log);
  const { kernel, report, state } = watchdog;
  const clusterZone = createClusterZone(watchdog);
  const probing = createProbing(watchdog, () => void clusterZone.askPastCache());
  const lookAtQueues = createQueueWatch(watchdog, probing);
  const schedule = createSchedule(watchdog, probing.next, lookAtQueues, clusterZone);

  const endpoints = {
    metrics: report.text,
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
  stopWatching();
  log.info("stopping; link and rules stay in place");
  process.exit(0);
}

// Outside a pod the variable is not set, and what is meant for the node alone must not be open to everyone.
function addressOf(given: string): string {
  return given.startsWith("$") ? (process.env[given.slice(1)] ?? "127.0.0.1") : given;
}
