import { inDocs } from "../docs";
import type { KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";
import { staysIfGone } from "./pruning";

/** What stays on the nodes if the node-resolver leaves without `state: removed`. */
export function leavingNodeResolver(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const daemonSet = before.find(isNodeResolver);
  if (!daemonSet || after.some(isNodeResolver) || isCleanup(daemonSet)) return [];
  if (staysIfGone(names.nodeResolver, before, after)) return [];
  return [
    `removes the node-resolver without a cleanup: its lines stay in every node's /etc/hosts, with nothing that keeps them right; set nodeResolver.state: removed first (${inDocs("node-resolver", "Leaving")})`,
  ];
}

function isNodeResolver({ kind, metadata }: KubernetesObject): boolean {
  return kind === "DaemonSet" && metadata.name === names.nodeResolver;
}

/** Whether its pods remove the lines. */
function isCleanup(daemonSet: KubernetesObject): boolean {
  return JSON.stringify(daemonSet).includes('["cleanup",');
}
