import { namespacedName } from "../kubernetes/object";
import { usualDnsService, otherwise } from "../dns-service";
import type { DnsServiceOptions } from "../props/dns-service";
import { show } from "../syntax/show";
import { type Finding, finding, type Findings } from "./finding";
import { describeService, hasPodsOf } from "../running/find-dns";
import { type Described, dnsServiceOf } from "./described";
import type { Patient } from "./patient";
import { asking, kubectl, look } from "./suggestions";

/** The cluster's own DNS Service, which we do not render: missing, at another address, or not as it is described. */
export function ownService(patient: Patient): Findings {
  const { state, described } = patient;
  if (!state.services || patient.cluster?.components.authoritativeDns) return [];
  const [service] = patient.dnsServices;
  if (!service) return missing(described);
  if (!described) return [];
  const { clusterDNS, authoritativeDNS } = described.cluster.said;
  const { clusterIPs = [] } = service.spec;
  const where = `Service ${namespacedName(service)}`;
  const workload = state.workloads?.find((each) => hasPodsOf(service, each));
  const is = describeService(service, workload);
  const unlike = Object.entries(otherwise(is, authoritativeDNS.service)).map(
    ([key, value]) =>
      `${key} is ${show(value)}, the cluster file says ${show(authoritativeDNS.service[key as keyof DnsServiceOptions])}`,
  );
  return [
    clusterIPs.join() !== clusterDNS.join() &&
      finding(
        "differs",
        where,
        `clusterIPs is ${show(clusterIPs)}, the cluster file says clusterDNS: ${show(clusterDNS)}`,
        look(service),
      ),
    unlike.length > 0 &&
      finding("dns-service-elsewhere", where, unlike, [
        look(service),
        `if it is right, write into the cluster file: authoritativeDNS.service: ${JSON.stringify(otherwise(is, usualDnsService))}`,
      ]),
  ];
}

/** A Service that the cluster file does not describe may be in any namespace. */
function missing(described: Described | undefined): Finding {
  const said = dnsServiceOf(described?.cluster);
  const isUsual = Object.keys(otherwise(said, usualDnsService)).length === 0;
  return finding(
    described && isUsual ? "dns-service-elsewhere" : "missing",
    `Service ${namespacedName({ metadata: said })}`,
    `no Service of ${said.namespace} has this name, or another of a cluster's DNS, or the label k8s-app=kube-dns`,
    [
      kubectl`get services --all-namespaces`,
      described ? "describe it in authoritativeDNS.service of the cluster file" : asking("init", "NAME"),
    ],
  );
}
