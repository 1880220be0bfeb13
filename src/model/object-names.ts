/** The namespace of every object that has one. */
export const namespace = "kube-system";

/** Names of the objects. A ConfigMap's name begins with one of them and ends in the hash of its content. */
export const names = {
  authoritativeDns: "coredns",
  autoscaler: "dns-autoscaler",
  /** The Service whose address pods ask. */
  dnsService: "kube-dns",
  /** The Service through which a cache reaches the cluster DNS where Cilium redirects what asks Service `kube-dns`. */
  upstreamService: "kube-dns-upstream",
  nodeLocalDns: "node-local-dns",
  nodeSetup: "node-local-dns-agent",
  watchdog: "node-local-dns-watchdog",
  cleanup: "node-local-dns-cleanup",
  nodeResolver: "node-resolver",
  webhook: "cluster-dns-webhook",
  /** ConfigMap with the namespaces of each tenant, for the policies. */
  tenants: "cluster-dns-tenants",
} as const;

/** Policies of the API server are named for what they guard. */
export function policyName(what: string): string {
  return `cluster-dns-${what}`;
}

/** How the names of ConfigMaps begin that hold what the programs and policies are told. */
export const ownPrefix = "cluster-dns-";

/** Label of the pods that answer the cluster domain. kubeadm and every cloud use it, so ours takes over in place. */
export const authoritativeLabels = { "k8s-app": "kube-dns" } as const;

/** Names of the ports of a DNS Service; kube-proxy's chains are named after them. */
export const dnsPortNames = { udp: "dns", tcp: "dns-tcp" } as const;
