import type { Service } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { names, namespace } from "../object-names";
import { show } from "../syntax/show";
import { type Finding, finding } from "./finding";
import type { ClusterState } from "../running/cluster-state";
import { answersDns, findDns } from "../running/find-dns";
import type { Described } from "./described";
import { asking, kubectl, system } from "./steps";

/** The cluster's own DNS Service, which we do not render: missing, or at another address. */
export function ownService(state: ClusterState, described?: Described): Finding[] {
  if (!state.services || described?.cluster.components.authoritativeDns) return [];
  const [service] = dnsServices(state);
  if (!service) {
    const where = `Service ${namespace}/${names.dnsService}`;
    const evidence = ["no Service of kube-system has this name or the label k8s-app=kube-dns"];
    // One that the cluster file only names may be in another namespace, as OpenShift's is.
    return [
      described
        ? finding("dns-service-elsewhere", where, evidence, [kubectl`get services --all-namespaces`])
        : finding("missing", where, evidence, [system`get services`, asking("init", "NAME")]),
    ];
  }
  const { clusterIPs = [] } = service.spec;
  const wanted = described?.cluster.clusterDNS ?? clusterIPs;
  if (clusterIPs.join() === wanted.join()) return [];
  return [
    finding(
      "differs",
      `Service ${namespacedName(service)}`,
      [`clusterIPs is ${show(clusterIPs)}, the cluster file says clusterDNS: ${show(wanted)}`],
      [system`get service ${service.metadata.name} -o yaml`],
    ),
  ];
}

/** The Services that pods may ask. */
export function dnsServices(state: ClusterState): readonly Service[] {
  return findDns(state).services.filter(answersDns);
}
