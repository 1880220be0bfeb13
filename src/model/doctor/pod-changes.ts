import type { Pod, Workload } from "../kubernetes/kinds";
import { unlikeRendered } from "../kubernetes/unlike-rendered";
import { toldDifference } from "./told-difference";

/**
 * What a pod has otherwise than its workload says, once a rollout is over. Not what was added: volumes, tolerations and
 * sidecars are, also by Kubernetes.
 */
export function changesOf(pod: Pod, workload: Workload): string[] {
  if (!isRolledOut(workload)) return [];
  const { template } = workload.spec;
  return unlikeRendered(pod.spec, template.spec, ["spec"])
    .filter(({ before, after }) => [before, after].every((each) => each !== undefined && !Array.isArray(each)))
    .map((each) => toldDifference(each, "its workload says"));
}

function isRolledOut({ metadata, spec, status = {} }: Workload): boolean {
  const { observedGeneration, updatedReplicas, updatedNumberScheduled, desiredNumberScheduled = 0 } = status;
  const isNew =
    (updatedReplicas ?? 0) >= (spec.replicas ?? 1) || (updatedNumberScheduled ?? -1) >= desiredNumberScheduled;
  return isNew && observedGeneration === metadata.generation;
}
