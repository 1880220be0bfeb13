import type { Workload } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { names, namespace } from "../object-names";
import type { Finding } from "./finding";
import { applying, type Described, type Observed, rendered, sameName } from "./observed";
import { isDns } from "./workloads";

/** Deployments with fewer replicas than described, or none: all the pods that they want are there. */
export function scale(observed: Observed, described?: Described): Finding[] {
  const ours = rendered<Workload>(described, "Deployment");
  return (observed.workloads ?? []).flatMap((workload): Finding[] => {
    const wanted = sameName(ours, workload);
    if (workload.kind !== "Deployment" || !(wanted || isDns(workload))) return [];
    const { name } = workload.metadata;
    const has = workload.spec.replicas ?? 1;
    const { autoscaler } = (isDns(workload) && described?.cluster.components.authoritativeDns) || {};
    const least = wanted?.spec.replicas ?? autoscaler?.min ?? 1;
    if (has >= least) return [];
    return [
      {
        severity: has === 0 && isDns(workload) ? "error" : "warning",
        title: has === 0 ? "is scaled to 0" : "is scaled to fewer pods than described",
        where: `Deployment ${namespacedName(workload)}`,
        evidence: [
          `spec.replicas is ${has}${wanted ? `, the cluster file says ${autoscaler ? `autoscaler, with at least ${least}` : least}` : ""}`,
        ],
        next:
          described && wanted && !autoscaler
            ? applying(described)
            : [
                ...(autoscaler ? [`kubectl logs -n ${namespace} -l k8s-app=${names.autoscaler} --tail=20`] : []),
                `kubectl scale deployment ${name} -n ${namespace} --replicas=${Math.max(least, 2)}`,
              ],
      },
    ];
  });
}
