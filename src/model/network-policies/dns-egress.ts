import { resolve } from "../check/resolve";
import type { Cluster } from "../cluster/cluster";
import { authoritativeLabels, names, namespace } from "../object-names";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { hostCIDR } from "../syntax/addresses";
import { formatPath } from "../syntax/problem";
import { dnsPorts, inNamespace, type NetworkPolicyEgressRule, type NetworkPolicyPeer } from "./policy";

/**
 * Egress rules that let pods ask this cluster's DNS, whether their node's cache or a pod of the cluster DNS answers: for
 * the `egress` of a NetworkPolicy that otherwise denies it. With `authoritativeDNS.kind: Existing`, it fits only DNS pods
 * labelled `k8s-app: kube-dns` in kube-system on port 53; others need a rule of their own beside it.
 * @throws Error listing everything wrong with the props, each with its path.
 */
export function dnsEgress(props: ClusterDnsProps): NetworkPolicyEgressRule[] {
  const { cluster, problems } = resolve(props);
  if (cluster) return [{ to: askedBy(cluster), ports: dnsPorts }];
  throw new Error(problems.map(({ path, message }) => `${formatPath(path)}: ${message}`.replace(/^: /, "")).join("\n"));
}

/**
 * Network plugins look at a packet's destination after a Service's is translated to a pod's, or before, and a packet to
 * the cache on the host's network is never translated: so pods by their labels, and addresses.
 */
function askedBy({ clusterDNS, nameservers, queryPath }: Cluster): NetworkPolicyPeer[] {
  // Pods that have them keep asking them, through a change of `interception` and until nobody does.
  const linkLocal = queryPath && queryPath.state !== "disabled" ? queryPath.linkLocalAddresses : [];
  const addresses = [...new Set([...nameservers, ...clusterDNS, ...linkLocal])];
  const redirectsToPods = queryPath?.interception === "local-redirect" && queryPath.state === "enabled";
  const pods = [authoritativeLabels, ...(redirectsToPods ? [{ "k8s-app": names.nodeLocalDns }] : [])];
  return [
    ...pods.map((matchLabels) => ({ ...inNamespace(namespace), podSelector: { matchLabels } })),
    ...addresses.map((address) => ({ ipBlock: { cidr: hostCIDR(address) } })),
  ];
}
