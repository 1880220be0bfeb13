import type { Size } from "./size";

/**
 * The most nodes whose pods a rollout replaces at once: as many pods as the DaemonSet controller starts at once
 * (`BurstReplicas` in kubernetes' pkg/controller/daemon/daemon_controller.go), so that no registry is flooded.
 */
export const mostNodesAtOnce = 250;

/**
 * Seconds for one round of a rollout: stop a pod, or start one beside it, until the new one counts as available. Ten
 * rounds, of a tenth of the nodes each, take the three minutes that Flux waits.
 */
const roundSeconds = 18;

/** `maxSurge` or `maxUnavailable`: a share of the nodes, or fewer. */
export function atOnce(percent: number, { nodes, hasNodes }: Size): string | number {
  return hasNodes && (nodes * percent) / 100 > mostNodesAtOnce ? mostNodesAtOnce : `${percent}%`;
}

/** How long a rollout to a tenth of the nodes at once, or fewer, may take. */
export function rolloutSeconds(size: Size): number {
  const share = atOnce(10, size);
  return roundSeconds * (typeof share === "number" ? Math.ceil(size.nodes / share) : 10);
}
