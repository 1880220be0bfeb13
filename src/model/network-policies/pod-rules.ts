import type { OutsideNames } from "../corefile/outside-names";
import { atPort, dnsPort, inNamespace } from "./policy";
import type { NetworkPolicyEgressRule, NetworkPolicyIngressRule, NetworkPolicyPort } from "./policy";

// The kubelet's health checks need no rule: a policy never applies between a pod and its own node.

/** Every pod and node may ask; the named namespaces may read metrics. */
export function dnsServerIngress(
  metricsPort: number,
  metricsNamespaces: readonly string[] | undefined,
): NetworkPolicyIngressRule[] {
  return [{ ports: atPort(dnsPort) }, ...metricsIngress(metricsPort, metricsNamespaces)];
}

/** @param namespaces Undefined: everybody may. */
export function metricsIngress(port: number, namespaces: readonly string[] | undefined): NetworkPolicyIngressRule[] {
  const ports: NetworkPolicyPort[] = [{ protocol: "TCP", port }];
  if (namespaces === undefined) return [{ ports }];
  // A rule with an empty list of peers would let everybody in, too.
  return namespaces.length > 0 ? [{ from: namespaces.map(inNamespace), ports }] : [];
}

/** The API server and who collects dnstap are no pods, or behind a Service: addresses and ports vary by cluster. */
export const anyTCP: NetworkPolicyEgressRule = { ports: [{ protocol: "TCP" }] };

/**
 * Whom a DNS server may ask about names outside: the DNS ports of anybody, so that a change of upstreams does not cut
 * off the pods that still ask the old ones. A named server may be a Service, which leads to any port of a pod, a node or
 * an address outside, and network plugins look at either side of it.
 * @param targetPort Of the pods of the cluster DNS, if it is asked.
 */
export function upstreamEgress(
  { upstreamNameservers = [], stubDomains }: OutsideNames,
  targetPort: number = dnsPort,
): NetworkPolicyEgressRule[] {
  const namesServers = upstreamNameservers.length > 0 || stubDomains.length > 0;
  if (namesServers) return [{ ports: [{ protocol: "UDP" }, { protocol: "TCP" }] }];
  return [{ ports: [...new Set([dnsPort, targetPort])].flatMap(atPort) }];
}
