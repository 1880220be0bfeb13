import { isCurrent } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { names, namespace } from "../object-names";
import { placeable } from "../placement/placeable";
import { workloads } from "../preflight/workloads";
import { type Finding, some } from "./finding";
import { type Described, type Observed, systemPods } from "./observed";

/** Nodes that should have a cache, or a watchdog, and have none. */
export function nodeCoverage(observed: Observed, described?: Described): Finding[] {
  const { nodes, pods } = observed;
  if (!nodes || !pods || !described) return [];
  const all = nodes.map(({ metadata: { name, labels = {} }, spec: { taints = [], unschedulable = false } = {} }) => ({
    name,
    labels,
    taints,
    unschedulable,
  }));
  const perNode: readonly string[] = [names.nodeLocalDns, names.watchdog];
  return workloads(described.components)
    .filter(({ name }) => perNode.includes(name))
    .flatMap((workload): Finding[] => {
      const own = systemPods(observed).filter(
        (pod) => isCurrent(pod) && selects({ "k8s-app": workload.name }, pod.metadata),
      );
      const covered = new Set(own.map(({ spec }) => spec.nodeName));
      const bare = placeable(all, workload, workload)
        .filter(({ node, reasons }) => reasons.length === 0 && !covered.has(node))
        .map(({ node }) => node);
      if (bare.length === 0) return [];
      return [
        {
          severity: "warning",
          title: `no pod of ${workload.name} runs here`,
          nodes: bare,
          where: `${bare.length === 1 ? "node" : `${bare.length} nodes:`} ${some(bare)}`,
          evidence: [`DaemonSet ${workload.name} matches the node; pods there ask the cluster DNS past the cache`],
          next: [
            `kubectl describe daemonset ${workload.name} -n ${namespace}`,
            `kubectl get events -n ${namespace} --sort-by=.lastTimestamp`,
          ],
        },
      ];
    });
}
