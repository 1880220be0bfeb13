import { identity } from "../kubernetes/object";
import { isOf, isReady, nodesOf, placeOf, readySince } from "../kubernetes/pods";
import type { ClusterState } from "../running/cluster-state";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { type Described, systemPods } from "./described";
import { isBeside } from "./drift";
import { type Finding, finding } from "./finding";
import { beside } from "./steps";
import { dnsWorkloads } from "./workloads";

/** How long an old pod may be ready beside a new one that could replace it: the controller needs less than a second. */
const patienceSeconds = 60;

/** DaemonSets whose controller has not looked again since new pods could replace old ones (docs/scale.md). */
export function stalledRollouts(state: ClusterState, described?: Described): Finding[] {
  return dnsWorkloads(state, described).flatMap((workload) => {
    if (workload.kind !== "DaemonSet") return [];
    const { metadata, spec } = workload;
    const before = state.now.getTime() - ((spec.minReadySeconds ?? 0) + patienceSeconds) * 1000;
    const settled = systemPods(state).filter(
      (pod) => isReady(pod) && (readySince(pod) ?? before) < before && isBeside(pod, workload) && isOf(workload, pod),
    );
    const twice = grouped(settled, ({ spec: { nodeName } }) => nodeName).flatMap(([, pods]) =>
      pods.length > 1 ? pods : [],
    );
    if (twice.length === 0) return [];
    const look = `looked-at=${state.now.toISOString()}`;
    return [
      finding(
        "rollout-stalled",
        identity(workload),
        [
          `two pods on each of ${nodesOf(twice).length} nodes are ready for more than a minute: ${some(twice.map(placeOf))}`,
        ],
        [
          {
            ...beside(workload)`annotate --overwrite daemonset ${metadata.name} ${look}`,
            comment: "the controller looks again; the nodes after these may need it, too",
          },
        ],
      ),
    ];
  });
}
