import { differences } from "../kubernetes/differences";
import type { Service } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { authoritativeLabels, namespace } from "../object-names";
import { type Dns, hasOurPods } from "../running/find-dns";

/**
 * Why Service `kube-dns-upstream`, which a cache without `agentImage` or with Cilium asks, would not have the pods of
 * this one. A port's name says nothing about its number.
 */
export function whyNoUpstream(service: Service, workloads: Dns["workloads"], hasCilium: boolean): string | undefined {
  const others = (service.spec.ports ?? []).filter(
    ({ port, targetPort = port }) => port === 53 && targetPort !== 53 && typeof targetPort === "number",
  );
  const [workload, ...more] = workloads.filter(hasOurPods);
  // Another selector may have the same pods, such as that of RKE2's chart.
  const hasSamePods =
    differences(service.spec.selector ?? authoritativeLabels, authoritativeLabels).length === 0 ||
    (workload !== undefined && more.length === 0 && workload === workloads[0]);
  if (hasSamePods && others.length === 0 && (service.metadata.namespace ?? namespace) === namespace) return undefined;
  const what = `${identity(service)} has other pods or ports than Service kube-dns-upstream would`;
  return hasCilium
    ? `${what}, which a cache needs with Cilium`
    : `${what}; with agentImage, a cache does not need that Service: then delete this key`;
}
