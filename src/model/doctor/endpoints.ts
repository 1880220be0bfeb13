import type { EndpointPort, EndpointSlice, Pod, Service, Workload } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { isCurrent, isOf, isReady, placeOf } from "../kubernetes/pods";
import { selects, selectorText } from "../kubernetes/selectors";
import { authoritativeLabels, names } from "../object-names";
import { podLabels } from "../running/find-dns";
import { familyOf } from "../syntax/addresses";
import { some } from "../syntax/some";
import { isBeside, isSame } from "./drift";
import { atPods, type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { about, beside, look, noted } from "./suggestions";

/** Services without a ready endpoint, with others than the ready pods, or with pods that are not of the cluster DNS. */
export function endpoints(patient: Patient): Findings {
  const { services, endpointSlices, pods } = patient.state;
  if (!services || !endpointSlices || !pods) return [];
  // The smoke test's pods are there while it runs.
  const ours = patient.rendered<Service>("Service").filter(({ metadata }) => metadata.name !== names.smokeTest);
  const asked = patient.dnsServices;
  return services
    .filter((each) => asked.includes(each) || ours.some((one) => isSame(one, each)))
    .map((each) => ofService(each, asked.includes(each), patient));
}

function ofService(service: Service, isAsked: boolean, patient: Patient): Findings {
  const { name } = service.metadata;
  const where = `Service ${namespacedName(service)}`;
  const selector = selectorText(service.spec.selector);
  const next = [
    beside(service)`get endpointslices -l kubernetes.io/service-name=${name} -o wide`,
    selector !== "" && beside(service)`get pods -l ${selector} -o wide`,
  ];
  const slices = (patient.state.endpointSlices ?? []).filter(
    (each) => each.metadata.labels?.["kubernetes.io/service-name"] === name && isBeside(each, service),
  );
  const addresses = slices.flatMap(addressesIn);
  const selected = patient.systemPods.filter(
    (pod) => isBeside(pod, service) && selects(service.spec.selector, pod.metadata),
  );
  const ready = selected.filter(isReady);
  const unserved = (service.spec.clusterIPs ?? []).filter(
    (ip) => familyOf(ip) && !addresses.some((address) => familyOf(address) === familyOf(ip)),
  );
  if (addresses.length === 0 || unserved.length > 0) {
    // That of its workload says all.
    const makers = [...patient.renderedWorkloads, ...(patient.state.workloads ?? [])];
    const own = makers.filter(
      (each) => isBeside(each, service) && selects(service.spec.selector, { labels: podLabels(each) }),
    );
    if (own.length > 0 && own.every((each) => patient.hasNone(each))) return [];
    const evidence = [
      addresses.length > 0 && `none of the family of ${unserved.join(", ")}: nothing answers at this address`,
      selector === ""
        ? "it has no selector"
        : `its selector ${selector} has ${selected.filter(isCurrent).length} pods, of which ${ready.length} are ready`,
    ];
    return finding(service.spec.clusterIP === "None" ? "no-endpoint-aside" : "no-endpoint", where, evidence, next);
  }
  const unled = portsLedNowhere(service, slices);
  if (unled.length > 0) {
    const isOfQueries = service.spec.clusterIP !== "None" && unled.some(({ port }) => port === 53);
    const told = unled.map(({ port, why }) => `port ${port}: ${why}`);
    return finding(isOfQueries ? "no-endpoint" : "no-endpoint-aside", where, told, next);
  }
  const strangers = isAsked ? ready.filter((pod) => !isOfDns(pod, patient)) : [];
  const missing = ready.filter((pod) => !ipsOf(pod).some((ip) => addresses.includes(ip)));
  const known = new Set(selected.flatMap(ipsOf));
  const foreign = selector === "" ? [] : addresses.filter((address) => !known.has(address));
  const evidence = [
    missing.length > 0 && `ready, but no endpoint: ${some(missing.map(placeOf))}`,
    foreign.length > 0 && `an endpoint, but no pod of the selector: ${some(foreign)}`,
  ];
  // A part of the queries goes to what is foreign.
  const id = foreign.length > 0 && isAsked ? "foreign-endpoint" : "stale-endpoints";
  const byHand = slices.filter((each) => addressesIn(each)[0] && addressesIn(each).every((ip) => foreign.includes(ip)));
  return [
    strangers.map((pod) => stranger(pod, service)),
    isAsked && besideOurs(ready, service, patient),
    evidence.some(Boolean) && finding(id, where, evidence, [next, byHand.map((each) => about(each, "delete"))]),
  ];
}

/** Ports of a Service that no endpoint has, and why: kube-proxy takes the port of the EndpointSlice that has its name. */
function portsLedNowhere({ spec }: Service, slices: readonly EndpointSlice[]): { port: number; why: string }[] {
  const keyOf = ({ name = "", protocol = "TCP" }: EndpointPort) => [name, protocol].join();
  const led = slices.flatMap((each) => (addressesIn(each).length > 0 ? (each.ports ?? []) : []));
  return (spec.ports ?? []).flatMap((each) => {
    const { port, targetPort: wanted = port } = each;
    const to = led.flatMap((one) => (keyOf(one) === keyOf(each) ? (one.port ?? []) : []));
    if (to.length === 0) return { port, why: `no EndpointSlice has ${keyOf(each)} (targetPort ${wanted})` };
    // By hand, any port is right; a name is of the pods' containers.
    const isRight = !spec.selector || typeof wanted === "string" || to.includes(wanted);
    return isRight
      ? []
      : { port, why: `EndpointSlices lead ${keyOf(each)} to ${some(to.map(String))}, not to ${wanted}` };
  });
}

/** Whether a pod gets queries, as far as anybody knows. */
export function isEndpoint(pod: Pod, { state: { endpointSlices } }: Patient): boolean {
  const addresses = endpointSlices?.flatMap(addressesIn);
  return !addresses || ipsOf(pod).some((ip) => addresses.includes(ip));
}

/** Those that get queries. */
function addressesIn({ endpoints: all }: EndpointSlice): readonly string[] {
  return (all ?? []).flatMap(({ addresses, conditions }) => (conditions?.ready === false ? [] : addresses));
}

function ourDns(patient: Patient): Workload[] {
  return patient.renderedWorkloads.filter(({ metadata }) => selects(authoritativeLabels, metadata));
}

/** Other workloads whose pods answer as well as ours: the one that ours takes over from, or one that came later. */
function besideOurs(ready: readonly Pod[], service: Service, patient: Patient): Finding[] {
  const answering = patient.dnsWorkloads.filter((each) => ready.some((pod) => isOf(each, pod)));
  const isOurs = (each: Workload) => ourDns(patient).some((one) => isSame(one, each));
  if (!answering.some(isOurs)) return [];
  return answering
    .filter((each) => !isOurs(each))
    .map((each) =>
      finding(
        "other-dns",
        `${each.kind} ${namespacedName(each)}`,
        `Service ${service.metadata.name} leads a part of the queries to its pods (${selectorText(service.spec.selector)})`,
        [look(each), "if the cluster file has all that it answers, delete it, and in what applies it, too"],
      ),
    );
}

/** Of a workload that we render, or of another DNS of the cluster that ours takes over from; else of anybody's. */
function isOfDns(pod: Pod, patient: Patient): boolean {
  const ours = ourDns(patient);
  if (!patient.state.workloads || ours.length === 0) return (pod.metadata.ownerReferences ?? []).length > 0;
  return [...ours, ...patient.dnsWorkloads].some((workload) => isOf(workload, pod));
}

/** A part of the queries goes to it, whatever it answers. */
function stranger(pod: Pod, service: Service): Finding {
  const { name } = pod.metadata;
  const [label = ""] = Object.keys(service.spec.selector ?? {});
  return finding(
    "stray-pod",
    atPods([pod]),
    `it has the labels that Service ${service.metadata.name} selects (${selectorText(service.spec.selector)})`,
    [look(pod), noted(beside(pod)`label pod ${name} ${label}-`, "or delete it; if it has a controller, change that")],
  );
}

function ipsOf({ status }: Pod): string[] {
  const { podIP, podIPs = [] } = status ?? {};
  return podIPs.length > 0 ? podIPs.map(({ ip }) => ip) : podIP === undefined ? [] : [podIP];
}
