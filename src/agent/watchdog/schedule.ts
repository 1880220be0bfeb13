import { watchLink } from "../kernel/link-events";
import { createCanary } from "./canary";
import type { ClusterZone } from "./cluster-zone";
import { createDatagramCount } from "./datagrams";
import { calm, deserted } from "./state";
import type { Watchdog } from "./watchdog";

/** Checking foreign rules takes ten commands, and the counts reveal dropped queries sooner. */
const checksPerLookAtOthers = 5;

/**
 * A look at the queues takes microseconds, but each wake-up costs, most of all on an idle node. A hang that nobody asks
 * costs nobody anything, so the watchdog looks twice as often while programs on the node read so many datagrams between
 * two looks (docs/watchdog.md has what either costs).
 */
const lookIntervalMs = { idle: 200, asked: 100 };
const askedFrom = 10;

/** The liveness probe takes a longer silence of the timer for its end. */
const longestTickMs = 2000;

/** How much less often a cache is probed while the kernel or its queues tell of a hang, and on a node without one. */
const calmFactor = 3;
const desertedFactor = 5;

/**
 * The watchdog's periodic work.
 * @param lookAtQueues Returns whether a hang would show; undefined where our rules see it.
 */
export function createSchedule(
  { config, thresholds, listeners, sources, state, kernel, report }: Watchdog,
  probeNext: () => void,
  lookAtQueues: (() => boolean) | undefined,
  clusterZone: ClusterZone,
) {
  const { probeIntervalMs } = thresholds;
  const datagramsRead = createDatagramCount([...sources.keys()].filter((family) => family !== undefined));
  const canaries = [...sources.values()].map(createCanary);
  let lastTickAt = performance.now();
  let probedAt = -Infinity;
  let checkedAt = -Infinity;

  // One timer for all that is frequent: most of what the watchdog costs is waking up.
  function tick(): void {
    const at = performance.now();
    lastTickAt = at;
    const looking = lookAtQueues?.() ?? false;
    const isDue = (last: number, factor = 1) => at - last > probeIntervalMs * factor - lookIntervalMs.asked / 2;
    const hangShows = looking || lookAtQueues === undefined;
    const factor = hangShows && calm(state(), at, thresholds) ? calmFactor : 1;
    // Nothing else tells of rules that somebody flushed: that costs no query while there is a cache that answers.
    if (isDue(checkedAt, factor)) {
      checkedAt = at;
      void checkCanaries(canaries, kernel);
    }
    if (isDue(probedAt, deserted(state()) ? desertedFactor : factor)) {
      probedAt = at;
      probeNext();
    }
    const lookMs = lookIntervalMs[looking && datagramsRead() >= askedFrom ? "asked" : "idle"];
    setTimeout(tick, looking ? lookMs : Math.min(probeIntervalMs * factor, longestTickMs));
  }

  return {
    /** Ticks are at most a few seconds apart. */
    sinceTickMs: () => performance.now() - lastTickAt,

    /** @returns A function that stops watching the link. */
    start(): () => void {
      const stop = watchLink(config.linkName, () => kernel.linkChanged(), report.complain);
      kernel.request("others", "rules", "link");
      tick();
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

async function checkCanaries(
  canaries: readonly ReturnType<typeof createCanary>[],
  kernel: Watchdog["kernel"],
): Promise<void> {
  for (const canary of canaries) {
    const missing = await canary();
    if (missing && kernel.tried("rules")) kernel.request(missing);
  }
}
