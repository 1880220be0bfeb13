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
    const all = systemPods(state).filter((pod) => isCurrent(pod) && isOf(workload, pod));
    const changed = all
      .map((pod) => ({ pod, how: some(changesOf(pod, workload, all)) }))
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
