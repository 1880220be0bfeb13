import type { Pod } from "../kubernetes/kinds";
import { isCurrent, isOf } from "../kubernetes/pods";
import type { ClusterState } from "../running/cluster-state";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { type Described, systemPods } from "./described";
import { atPods, type Finding, finding } from "./finding";
import { kubectl } from "./steps";
import { changesOf } from "./pod-changes";
import { dnsWorkloads } from "./workloads";

/** Pods that are otherwise than their workload says: a webhook or a policy changed them. */
export function changedPods(state: ClusterState, described?: Described): Finding[] {
  return dnsWorkloads(state, described).flatMap((workload) => {
    const changed = ofNewestRevision(systemPods(state).filter((pod) => isCurrent(pod) && isOf(workload, pod)))
      .map((pod) => ({ pod, how: some(changesOf(pod, workload)) }))
      .filter(({ how }) => how !== "");
    return grouped(changed, ({ how }) => how).map(([how, same]) =>
      finding(
        "changed-pods",
        atPods(
          same.map(({ pod }) => pod),
          ` of ${workload.kind} ${workload.metadata.name}`,
        ),
        [how],
        [kubectl`get mutatingwebhookconfigurations,mutatingadmissionpolicies`],
      ),
    );
  });
}

/** Pods that surge are there, and counted as updated, before the last pod of the revision before has left. */
function ofNewestRevision(pods: readonly Pod[]): readonly Pod[] {
  const newest = pods
    .toSorted(({ metadata: a }, { metadata: b }) =>
      (a.creationTimestamp ?? "").localeCompare(b.creationTimestamp ?? ""),
    )
    .at(-1);
  return pods.filter((pod) => newest !== undefined && revision(pod) === revision(newest));
}

function revision({ metadata: { labels } }: Pod): string | undefined {
  return labels?.["pod-template-hash"] ?? labels?.["controller-revision-hash"];
}
