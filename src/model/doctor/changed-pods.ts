import type { Pod, Workload } from "../kubernetes/kinds";
import { isCurrent, isOf } from "../kubernetes/pods";
import { unlikeRendered } from "../kubernetes/unlike-rendered";
import type { ClusterState } from "../running/cluster-state";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { type Described, systemPods } from "./described";
import { atPods, type Finding, finding } from "./finding";
import { kubectl } from "./steps";
import { toldDifference } from "./told-difference";
import { dnsWorkloads } from "./workloads";

/** Pods that are otherwise than their workload says, once a rollout is over: a webhook or a policy changed them. */
export function changedPods(state: ClusterState, described?: Described): Finding[] {
  return dnsWorkloads(state, described)
    .filter(isRolledOut)
    .flatMap((workload) => {
      const changed = systemPods(state)
        .filter((pod) => isCurrent(pod) && isOf(workload, pod))
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

function isRolledOut({ metadata, spec, status = {} }: Workload): boolean {
  const { observedGeneration, updatedReplicas, updatedNumberScheduled, desiredNumberScheduled = 0 } = status;
  const isNew =
    (updatedReplicas ?? 0) >= (spec.replicas ?? 1) || (updatedNumberScheduled ?? -1) >= desiredNumberScheduled;
  return isNew && observedGeneration === metadata.generation;
}

/** Not what was added: volumes, tolerations and sidecars are, also by Kubernetes. */
function changesOf(pod: Pod, { spec: { template } }: Workload): string[] {
  return unlikeRendered(pod.spec, template.spec, ["spec"])
    .filter(({ before, after }) => [before, after].every((each) => each !== undefined && !Array.isArray(each)))
    .map((each) => toldDifference(each, "its workload says"));
}
