import type { Service } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { usualDnsService, otherwise } from "../dns-service";
import type { DnsServiceOptions } from "../props/dns-service";
import { show } from "../syntax/show";
import { type Finding, finding } from "./finding";
import type { FindingId } from "./findings";
import type { ClusterState } from "../running/cluster-state";
import { describeService } from "../running/describe-service";
import { answersDns, findDns, hasPodsOf } from "../running/find-dns";
import type { Described } from "./described";
import { asking, beside, kubectl, type Step } from "./steps";

/** The cluster's own DNS Service, which we do not render: missing, at another address, or not as it is described. */
export function ownService(state: ClusterState, described?: Described): Finding[] {
  if (!state.services || described?.cluster.components.authoritativeDns) return [];
  const [service] = dnsServices(state, described);
  if (!service) return [missing(described)];
  if (!described) return [];
  const { clusterDNS, dnsService } = described.cluster;
  const { clusterIPs = [] } = service.spec;
  const found = (id: FindingId, evidence: readonly string[], ...next: readonly Step[]) =>
    evidence.length === 0
      ? []
      : [
          finding(id, `Service ${namespacedName(service)}`, evidence, [
            beside(service)`get service ${service.metadata.name} -o yaml`,
            ...next,
          ]),
        ];
  const is = describeService(
    service,
    state.workloads?.find((each) => hasPodsOf(service, each)),
  );
  const unlike = Object.entries(otherwise(is, dnsService)).map(
    ([key, value]) =>
      `${key} is ${show(value)}, the cluster file says ${show(dnsService[key as keyof DnsServiceOptions])}`,
  );
  return [
    ...found(
      "differs",
      clusterIPs.join() === clusterDNS.join()
        ? []
        : [`clusterIPs is ${show(clusterIPs)}, the cluster file says clusterDNS: ${show(clusterDNS)}`],
    ),
    ...found("dns-service-elsewhere", unlike, {
      comment: `if it is right, write into the cluster file: authoritativeDNS.service: ${JSON.stringify(otherwise(is, usualDnsService))}`,
    }),
  ];
}

/** A Service that the cluster file does not describe may be in any namespace. */
function missing(described: Described | undefined): Finding {
  const said = described?.cluster.dnsService ?? usualDnsService;
  const isUsual = Object.keys(otherwise(said, usualDnsService)).length === 0;
  return finding(
    described && isUsual ? "dns-service-elsewhere" : "missing",
    `Service ${namespacedName({ metadata: said })}`,
    [`no Service of ${said.namespace} has this name, or another of a cluster's DNS, or the label k8s-app=kube-dns`],
    [
      kubectl`get services --all-namespaces`,
      described ? { comment: "describe it in authoritativeDNS.service of the cluster file" } : asking("init", "NAME"),
    ],
  );
}

/** The Services that pods may ask. */
export function dnsServices(state: ClusterState, described: Described | undefined): readonly Service[] {
  return findDns(state, described?.cluster.dnsService).services.filter(answersDns);
}
