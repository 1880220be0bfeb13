import { watchdogMetric } from "../agent-config/watchdog-metrics";
import type { NetworkPolicy, Pod } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { matches } from "../kubernetes/selectors";
import { names } from "../object-names";
import { dnsServiceOf } from "./described";
import { isBeside, isSame } from "./drift";
import type { Patient } from "./patient";
import { beside, look, noted, onNode, raw, type Suggestion, type Suggestions } from "./suggestions";

/** What a node's way to the cluster DNS depends on, and how to look at each part of it. */
export function towardClusterDns(
  nodes: readonly string[],
  patient: Patient,
): { readonly evidence: readonly string[]; readonly next: Suggestions } {
  const { selector: _selector, ...metadata } = dnsServiceOf(patient.cluster);
  // One that was read and is missing has none.
  const service = patient.dnsServices[0] ?? (patient.state.services ? undefined : { metadata });
  const others = foreignPolicies(patient);
  const at = nodes.join(", ") || "the node";
  const hasKubeProxy = patient.cluster?.said.kubeProxyMode !== "none";
  return {
    evidence: others.map(
      (policy) =>
        `${toldPolicy(policy)}: caches and watchdogs ask from their node's address, which a rule for pods does not let in`,
    ),
    next: [
      service && beside(service)`get endpointslices -l kubernetes.io/service-name=${service.metadata.name} -o wide`,
      hasKubeProxy && nodes.map(kubeProxyOf),
      others.length > 0 ? others.map(look) : beside({ metadata: service?.metadata ?? metadata })`get networkpolicies`,
      onNode(`on ${at}, and on those of the endpoints: does its policy, or a rule, drop?`)`iptables -S FORWARD`,
      `on ${at}, and on those of the endpoints: sysctl net.ipv4.ip_forward is 1? ip route has the other nodes' pods? firewalls? rules of kube-proxy in both iptables-nft-save and iptables-legacy-save?`,
    ],
  };
}

/** At which caches ask the cluster DNS. */
export function addressesOfClusterDns(patient: Patient): string[] {
  const { clusterServers } = patient.cluster?.queryPath ?? {};
  const upstream = (patient.state.services ?? []).filter(({ metadata }) => metadata.name === names.upstreamService);
  return [
    ...(patient.cluster?.said.clusterDNS ?? []),
    ...(clusterServers === "upstream-service" ? [] : (clusterServers ?? [])),
    ...[...patient.dnsServices, ...upstream].flatMap(({ spec }) => spec.clusterIPs ?? []),
  ];
}

/** Network policies for pods of the cluster DNS that the cluster file does not render. */
export function foreignPolicies(patient: Patient): NetworkPolicy[] {
  const ours = patient.rendered<NetworkPolicy>("NetworkPolicy");
  return policiesOf(patient.dnsPods, patient).filter((policy) => !ours.some((one) => isSame(one, policy)));
}

/** Network policies for some of the pods. */
export function policiesOf(pods: readonly Pod[], { state }: Patient): NetworkPolicy[] {
  return (state.networkPolicies ?? []).filter((policy) =>
    pods.some((pod) => isBeside(policy, pod) && matches(policy.spec.podSelector ?? {}, pod.metadata)),
  );
}

/** Whether every watchdog gets answers of the cluster DNS, by UDP and from its node's address. */
export function isReached(patient: Patient): boolean {
  const up = reachedFrom(patient);
  return up.length > 0 && up.every((each) => each);
}

/** Whether each watchdog that tells gets answers. */
export function reachedFrom({ state: { metrics } }: Patient): boolean[] {
  const all = [...metrics.values()].flat();
  return all.filter(({ name }) => name === watchdogMetric("cluster_dns_up")).map(({ value }) => value === 1);
}

export function toldPolicy(policy: NetworkPolicy): string {
  return `${identity(policy)} selects pods of the cluster DNS, and is not of the cluster file`;
}

function kubeProxyOf(node: string): Suggestion {
  const ask = raw(`/api/v1/nodes/http:${node}:10256/proxy/healthz`);
  return noted(
    ask,
    "its kube-proxy: restart it after an error or silence (its rules are old), and if caches log `connection refused` (it has none)",
  );
}
