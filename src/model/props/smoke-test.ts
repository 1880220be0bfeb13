import type { NodePlacement } from "./placement";
import type { Duration } from "./values";

/** Jobs that ask for names after each rollout. */
export interface SmokeTestOptions {
  /**
   * A name outside the cluster, with a dot, that must have an address. Without one, `upstreamNameservers` are asked for a
   * name that does not exist, which they may deny; the nodes' own resolvers are asked nothing: a cluster may have no way
   * out.
   * @default - none
   */
  readonly outsideName?: string;

  /**
   * How long a Job may take: `1m` to `10m`, then it counts as failed. That includes its start, the pull of its image, some
   * 20 seconds until nothing answers from before the rollout, up to 25 more until the node's cache is asked, or longer
   * with slow `watchdogThresholds`, and 18 for answers that do not come. It must be longer than these waits.
   * @default 90s
   * @formatMinimum 1m
   * @formatMaximum 10m
   */
  readonly timeout?: Duration;

  /**
   * Which nodes the Jobs may run on; each runs on one of them.
   * @default - any Linux node without taints
   */
  readonly nodePlacement?: NodePlacement;
}
