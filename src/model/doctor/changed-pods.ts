import { isCurrent } from "../kubernetes/pods";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { atPods, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { changesOf } from "./pod-changes";
import { kubectl } from "./steps";

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
