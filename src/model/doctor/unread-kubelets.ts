import { some } from "./finding";
import type { Observed } from "./observed";

/** Why nobody knows whom all pods ask; undefined if every node's kubelet was read. */
export function unreadKubelets({ nodes = [], kubelets }: Pick<Observed, "nodes" | "kubelets">): string | undefined {
  if (kubelets.size === 0) return "no kubelet's configuration was read";
  const unread = nodes.map(({ metadata }) => metadata.name).filter((node) => !kubelets.has(node));
  return unread.length === 0 ? undefined : `the kubelet's configuration was not read of ${some(unread)}`;
}

/** Said of a command that takes away what answers: a pod keeps the nameserver of its start. */
export const olderPods = "  # first restart pods that are older than their kubelet's settings: they may still ask it";
