import { isCurrent } from "../kubernetes/pods";
import type { ClusterState } from "../running/cluster-state";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import type { Sparse } from "../syntax/sparse";
import type { Described } from "./described";
import { atPods, type Finding, finding } from "./finding";
import { dnsWorkloads, podsOf } from "./known-workloads";
import { changesOf } from "./pod-changes";
import { kubectl } from "./steps";

/** Pods that are otherwise than their workload says: a webhook or a policy changed them. */
export function changedPods(state: ClusterState, described?: Described): Sparse<Finding> {
  return dnsWorkloads(state, described).map((workload) => {
    const pods = podsOf(workload, state).filter(isCurrent);
    const place = ` of ${workload.kind} ${workload.metadata.name}`;
    const look = kubectl`get mutatingwebhookconfigurations,mutatingadmissionpolicies`;
    return grouped(pods, (pod) => some(changesOf(pod, workload, pods))).map(
      ([how, same]) => how !== "" && finding("changed-pods", atPods(same, place), how, look),
    );
  });
}
