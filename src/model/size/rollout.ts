import type { Size } from "../full-props/size";

/** As many pods as the DaemonSet controller starts at once (`BurstReplicas`), so that no registry is flooded. */
export const mostNodesAtOnce = 250;

/** `maxSurge` or `maxUnavailable`: a share of the nodes, or fewer. */
export function atOnce(percent: number, { nodes, hasNodes }: Size): string | number {
  return hasNodes && (nodes * percent) / 100 > mostNodesAtOnce ? mostNodesAtOnce : `${percent}%`;
}

/** For the ten rounds of a rollout, of a tenth of the nodes each: to stop pods, or start some beside them, takes 18. */
export const leastRolloutSeconds = 180;

/** One pod is created and another deleted, with 20 requests a second (`--kube-api-qps`), and half as many again. */
export const rolloutSecondsOfNode = 0.15;

export function rolloutSeconds({ nodes }: Size): number {
  return Math.max(leastRolloutSeconds, Math.ceil(nodes * rolloutSecondsOfNode));
}
