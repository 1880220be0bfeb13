import type { Pod, Service, Workload } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { isOf, isReady, nodesOf, placeOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import { authoritativeLabels, names, namespace } from "../object-names";
import { familyOf } from "../syntax/addresses";
import { type Finding, some } from "./finding";
import { type Described, type Observed, rendered, sameName, systemPods } from "./observed";
import { isDnsService } from "./services";
import { isDns } from "./workloads";

/** Services without a ready endpoint, with others than the ready pods, or with pods that are not of the cluster DNS. */
export function endpoints(observed: Observed, described?: Described): Finding[] {
  const { services, endpointSlices, pods } = observed;
  if (!services || !endpointSlices || !pods) return [];
  const ours = rendered<Service>(described, "Service")
    // Its pods are there while it runs.
    .filter(({ metadata }) => metadata.name !== names.smokeTest)
    .flatMap((each) => sameName(services, each) ?? []);
  const wanted = [...new Set([...services.filter(isDnsService), ...ours])];
  return wanted.flatMap((service) => {
    const { name } = service.metadata;
    const where = `Service ${namespacedName(service)}`;
    const next = [
      `kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${name} -o wide`,
      ...(selectorText(service) === "" ? [] : [`kubectl get pods -n ${namespace} -l ${selectorText(service)} -o wide`]),
    ];
    const addresses = endpointSlices
      .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name)
      .flatMap((slice) => slice.endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap((endpoint) => endpoint.addresses);
    const selected = systemPods(observed).filter(({ metadata }) => selects(service.spec.selector, metadata));
    const ready = selected.filter(isReady);
    const unserved = (service.spec.clusterIPs ?? []).filter(
      (ip) => familyOf(ip) && !addresses.some((address) => familyOf(address) === familyOf(ip)),
    );
    if (addresses.length === 0 || unserved.length > 0) {
      const isHeadless = service.spec.clusterIP === "None";
      const evidence = [
        ...(addresses.length > 0
          ? [`none of the family of ${unserved.join(", ")}: nothing answers at this address`]
          : []),
        selectorText(service) === ""
          ? "it has no selector"
          : `its selector ${selectorText(service)} has ${selected.length} pods, of which ${ready.length} are ready`,
      ];
      return [{ severity: isHeadless ? "warning" : "error", title: "has no ready endpoint", where, evidence, next }];
    }
    const strangers = isDnsService(service) ? ready.filter((pod) => !isOfDns(pod, observed, described)) : [];
    const told = strangers.map((pod) => stranger(pod, service));
    const missing = ready.filter((pod) => !ipsOf(pod).some((ip) => addresses.includes(ip)));
    const known = new Set(selected.flatMap(ipsOf));
    const foreign = selectorText(service) === "" ? [] : addresses.filter((address) => !known.has(address));
    if (missing.length + foreign.length === 0) return told;
    const evidence = [
      ...(missing.length > 0 ? [`ready, but no endpoint: ${some(missing.map(placeOf))}`] : []),
      ...(foreign.length > 0 ? [`an endpoint, but no pod of the selector: ${some(foreign)}`] : []),
    ];
    // A part of the queries goes there, and the cluster DNS is not.
    const severity = foreign.length > 0 && isDnsService(service) ? "error" : "warning";
    return [...told, { severity, title: "has other endpoints than its ready pods", where, evidence, next }];
  });
}

/** Of a workload that we render, or of another DNS of the cluster that ours takes over from; else of anybody's. */
function isOfDns(pod: Pod, { workloads: live }: Observed, described: Described | undefined): boolean {
  const ours = rendered<Workload>(described, "Deployment", "DaemonSet").filter(({ metadata }) =>
    selects(authoritativeLabels, metadata),
  );
  if (!live || ours.length === 0) return (pod.metadata.ownerReferences ?? []).length > 0;
  return [...ours, ...live.filter(isDns)].some((workload) => isOf(workload, pod));
}

/** A part of the queries goes to it, whatever it answers. */
function stranger(pod: Pod, service: Service): Finding {
  const { selector = {} } = service.spec;
  const { name } = pod.metadata;
  const labels = Object.keys(selector);
  return {
    severity: "error",
    title: `is an endpoint of ${service.metadata.name}, but no pod of the cluster DNS`,
    nodes: nodesOf([pod]),
    where: `pod ${placeOf(pod)}`,
    evidence: [`it has the labels that the Service selects (${selectorText(service)}), and gets a part of all queries`],
    next: [
      `kubectl get pod ${name} -n ${namespace} -o yaml`,
      `kubectl label pod ${name} -n ${namespace} ${labels[0]}-  # or delete it; if it has a controller, change that`,
    ],
  };
}

function ipsOf({ status }: Pod): string[] {
  const { podIP, podIPs = [] } = status ?? {};
  return podIPs.length > 0 ? podIPs.map(({ ip }) => ip) : podIP === undefined ? [] : [podIP];
}

function selectorText({ spec: { selector = {} } }: Service): string {
  return Object.entries(selector)
    .map((pair) => pair.join("="))
    .join(",");
}
