import type { Pod, Workload } from "../kubernetes/kinds";
import { isCurrent } from "../kubernetes/pods";
import { toldDifference, unlikeRendered } from "../kubernetes/unlike-rendered";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { atPods, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { kubectl } from "./suggestions";

/** Pods that are otherwise than their workload says: a webhook or a policy changed them. */
export function changedPods(patient: Patient): Findings {
  return patient.dnsWorkloads.map((workload) => {
    const pods = patient.podsOf(workload).filter(isCurrent);
    const place = ` of ${workload.kind} ${workload.metadata.name}`;
    const look = kubectl`get mutatingwebhookconfigurations,mutatingadmissionpolicies`;
    return grouped(pods, (pod) => some(changesOf(pod, workload, pods))).map(
      ([how, same]) => how !== "" && finding("changed-pods", atPods(same, place), how, look),
    );
  });
}

/**
 * What a pod has otherwise than its workload says, once a rollout is over. Not what was added, but servers that it asks:
 * volumes, tolerations and sidecars are, also by Kubernetes.
 * @param all The workload's pods.
 */
export function changesOf(pod: Pod, workload: Workload, all: readonly Pod[]): string[] {
  if (!isRolledOut(workload) || !isOfNewestRevision(pod, all)) return [];
  const { template } = workload.spec;
  return unlikeRendered(pod.spec, template.spec, ["spec"])
    .filter(
      ({ path, before, after }) =>
        path.includes("dnsConfig") || [before, after].every((each) => each !== undefined && !Array.isArray(each)),
    )
    .map((each) => toldDifference(each, "its workload says"));
}

function isRolledOut({ metadata, spec, status = {} }: Workload): boolean {
  const { observedGeneration, updatedReplicas, updatedNumberScheduled, desiredNumberScheduled = 0 } = status;
  const isNew =
    (updatedReplicas ?? 0) >= (spec.replicas ?? 1) || (updatedNumberScheduled ?? -1) >= desiredNumberScheduled;
  return isNew && observedGeneration === metadata.generation;
}

/** Pods that surge are there, and counted as updated, before the last pod of the revision before has left. */
function isOfNewestRevision(pod: Pod, all: readonly Pod[]): boolean {
  const created = ({ metadata }: Pod) => metadata.creationTimestamp ?? "";
  const newest = all.reduce((latest, each) => (created(each) > created(latest) ? each : latest), pod);
  return revision(pod) === revision(newest);
}

function revision({ metadata: { labels } }: Pod): string | undefined {
  return labels?.["pod-template-hash"] ?? labels?.["controller-revision-hash"];
}
