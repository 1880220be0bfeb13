import { resolve } from "../check/resolve";
import type { Cluster } from "../cluster/cluster";
import { names, namespace } from "../object-names";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { hostCIDR } from "../syntax/addresses";
import { grouped } from "../syntax/grouped";
import { formatPath } from "../syntax/problem";
import { atPort, dnsPort, inNamespace, type NetworkPolicyEgressRule, type NetworkPolicyPeer } from "./policy";

/**
 * Egress rules that let pods ask this cluster's DNS, whether their node's cache or a pod of the cluster DNS answers: for
 * the `egress` of a NetworkPolicy that otherwise denies it.
 * @throws Error listing everything wrong with the props, each with its path.
 */
export function dnsEgress(props: ClusterDnsProps | Cluster): NetworkPolicyEgressRule[] {
  const { cluster, problems } = resolve(props);
  if (cluster)
    return grouped(askedBy(cluster), ({ port }) => port).map(([port, asked]) => ({
      to: asked.map(({ peer }) => peer),
      ports: atPort(port),
    }));
  throw new Error(problems.map(({ path, message }) => `${formatPath(path)}: ${message}`.replace(/^: /, "")).join("\n"));
}

/**
 * Network plugins look at a packet's destination after a Service's is translated to a pod's, or before, and a packet to
 * the cache on the host's network is never translated: so pods by their labels, and addresses.
 */
function askedBy({ said, nameservers, queryPath }: Cluster): readonly Asked[] {
  const { service } = said.authoritativeDNS;
  // Pods that have them keep asking them, through a change of `interception` and until nobody does.
  const linkLocal = queryPath && queryPath.state !== "disabled" ? queryPath.linkLocalAddresses : [];
  const addresses = [...new Set([...nameservers, ...said.clusterDNS, ...linkLocal])];
  const redirectsToPods = queryPath?.interception === "local-redirect" && queryPath.state === "enabled";
  return [
    { peer: podsOf(service.namespace, service.selector), port: service.targetPort },
    ...(redirectsToPods ? [{ peer: podsOf(namespace, { "k8s-app": names.nodeLocalDns }), port: dnsPort }] : []),
    ...addresses.map((address) => ({ peer: { ipBlock: { cidr: hostCIDR(address) } }, port: dnsPort })),
  ];
}

interface Asked {
  readonly peer: NetworkPolicyPeer;
  readonly port: number;
}

function podsOf(namespaceName: string, matchLabels: { readonly [label: string]: string }): NetworkPolicyPeer {
  return { ...inNamespace(namespaceName), podSelector: { matchLabels } };
}
