import type { Size } from "../full-props/size";

/**
 * The most nodes whose pods a rollout replaces at once: as many pods as the DaemonSet controller starts at once
 * (`BurstReplicas` in kubernetes' pkg/controller/daemon/daemon_controller.go), so that no registry is flooded.
 */
export const mostNodesAtOnce = 250;

/** `maxSurge` or `maxUnavailable`: a share of the nodes, or fewer. */
export function atOnce(percent: number, { nodes, hasNodes }: Size): string | number {
  return hasNodes && (nodes * percent) / 100 > mostNodesAtOnce ? mostNodesAtOnce : `${percent}%`;
}

/** For the ten rounds of a rollout, of a tenth of the nodes each: to stop pods, or start some beside them, takes 18. */
export const leastRolloutSeconds = 180;

/**
 * The DaemonSet controller creates one pod on each node and deletes another, with 20 requests a second (`--kube-api-qps`
 * of kube-controller-manager by default). Half as many again is for what it writes besides, and for slow pods.
 */
export const rolloutSecondsOfNode = 0.15;

/** How long a rollout to all nodes may take. */
export function rolloutSeconds({ nodes }: Size): number {
  return Math.max(leastRolloutSeconds, Math.ceil(nodes * rolloutSecondsOfNode));
}
