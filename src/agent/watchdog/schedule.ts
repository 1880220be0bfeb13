import { watchLink } from "../kernel/link-events";
import { createCanary } from "./canary";
import type { ClusterZone } from "./cluster-zone";
import { deserted } from "./state";
import type { Watchdog } from "./watchdog";

export interface Schedule {
  /** @returns Stops watching the link. */
  start(): () => void;
  /** Since the last tick, which comes after a few seconds at the latest. */
  sinceTickMs(): number;
}

/** Of the checks: it takes ten commands, and what drops queries shows in the counts before. */
const checksPerLookAtOthers = 5;

/** Does at its time what the watchdog does again and again. */
export function createSchedule(
  { config, thresholds, listeners, sources, state, kernel, report }: Watchdog,
  probeNext: () => void,
  clusterZone: ClusterZone,
): Schedule {
  const canaries = [...sources.values()].map(createCanary);
  let lastTick = performance.now();

  function tick(): void {
    lastTick = performance.now();
    setTimeout(tick, thresholds.probeInterval * (deserted(state()) ? 5 : 1));
    probeNext();
  }

  async function checkCanaries(): Promise<void> {
    for (const canary of canaries) {
      const missing = await canary.missing();
      if (missing && kernel.tried("rules")) kernel.request(missing);
    }
  }

  return {
    start() {
      const stop = watchLink(config.linkName, () => kernel.request("link"), report.complain);
      kernel.request("others", "rules", "link");
      tick();
      setInterval(() => void checkCanaries(), thresholds.probeInterval);
      setInterval(() => kernel.request("counts"), thresholds.countInterval);
      setInterval(() => kernel.request("rules", "link"), thresholds.checkInterval);
      setInterval(() => kernel.request("others"), thresholds.checkInterval * checksPerLookAtOthers);
      if (listeners.length > 0) {
        void clusterZone.compare();
        setInterval(() => void clusterZone.compare(), thresholds.clusterInterval);
      }
      return stop;
    },
    sinceTickMs: () => performance.now() - lastTick,
  };
}
