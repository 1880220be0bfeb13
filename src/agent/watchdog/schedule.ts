import { watchLink } from "../kernel/link-events";
import { createCanary } from "./canary";
import type { ClusterZone } from "./cluster-zone";
import { deserted } from "./state";
import type { Watchdog } from "./watchdog";

/** Checking foreign rules takes ten commands, and the counts reveal dropped queries sooner. */
const checksPerLookAtOthers = 5;

/** The watchdog's periodic work. */
export function createSchedule(
  { config, thresholds, listeners, sources, state, kernel, report }: Watchdog,
  probeNext: () => void,
  clusterZone: ClusterZone,
) {
  const canaries = [...sources.values()].map(createCanary);
  let lastTickAt = performance.now();

  function tick(): void {
    lastTickAt = performance.now();
    setTimeout(tick, thresholds.probeIntervalMs * (deserted(state()) ? 5 : 1));
    probeNext();
  }

  async function checkCanaries(): Promise<void> {
    for (const canary of canaries) {
      const missing = await canary();
      if (missing && kernel.tried("rules")) kernel.request(missing);
    }
  }

  return {
    /** Ticks are at most a few seconds apart. */
    sinceTickMs: () => performance.now() - lastTickAt,

    /** @returns A function that stops watching the link. */
    start(): () => void {
      const stop = watchLink(config.linkName, () => kernel.request("link"), report.complain);
      kernel.request("others", "rules", "link");
      tick();
      setInterval(() => void checkCanaries(), thresholds.probeIntervalMs);
      setInterval(() => kernel.request("counts"), thresholds.countIntervalMs);
      setInterval(() => kernel.request("rules", "link"), thresholds.checkIntervalMs);
      setInterval(() => kernel.request("others"), thresholds.checkIntervalMs * checksPerLookAtOthers);
      if (listeners.length > 0) {
        void clusterZone.compare();
        setInterval(() => void clusterZone.compare(), thresholds.clusterIntervalMs);
      }
      return stop;
    },
  };
}
