import type { KubernetesObject } from "./kubernetes/object";
/** The namespace of every namespaced object. */
export const namespace = "kube-system";

/** Names of the objects. A ConfigMap's name starts with one of these and ends with a hash of its content. */
export const names = {
  authoritativeDns: "coredns",
  autoscaler: "dns-autoscaler",
  /** The Service whose address pods ask. */
  dnsService: "kube-dns",
  /** The Service through which a cache reaches the cluster DNS if Cilium redirects queries to Service `kube-dns`. */
  upstreamService: "kube-dns-upstream",
  nodeLocalDns: "node-local-dns",
  nodeSetup: "node-local-dns-agent",
  watchdog: "node-local-dns-watchdog",
  cleanup: "node-local-dns-cleanup",
  nodeResolver: "node-resolver",
  /** Its PriorityLevelConfiguration and FlowSchema. */
  apiPriority: "cluster-dns",
  webhook: "cluster-dns-webhook",
  smokeTest: "cluster-dns-smoke-test",
  /** The alerts; with `-dashboard`, the dashboard. */
  monitoring: "cluster-dns",
  /** The ConfigMap with the namespaces of each tenant, for the policies. */
  tenants: "cluster-dns-tenants",
} as const;

/** API server policies are named after what they protect. */
export function policyName(what: string): string {
  return `cluster-dns-${what}`;
}

/** Prefix of the ConfigMaps that configure our programs and policies. */
export const ownPrefix = "cluster-dns-";

/** Labels of every object and pod; no selector uses them, because selectors cannot change. */
export const commonLabels = {
  "app.kubernetes.io/part-of": "cluster-dns",
  "app.kubernetes.io/managed-by": "cdk8s-cluster-dns",
} as const;

/** Label of the pods that answer the cluster domain. kubeadm and every cloud use it, so ours take over in place. */
export const authoritativeLabels = { "k8s-app": "kube-dns" } as const;

/** Label of pods whose revision a selector names; its value is a hash of their template. */
export const revisionLabel = "cdk8s-cluster-dns/revision";

/** Port names of a DNS Service; kube-proxy names its chains after them. */
export const dnsPortNames = { udp: "dns", tcp: "dns-tcp" } as const;

/** Whether an object was rendered from a cluster file. */
export function isOurs({ metadata: { labels } }: Pick<KubernetesObject, "metadata">): boolean {
  const label = "app.kubernetes.io/managed-by";
  return labels?.[label] === commonLabels[label];
}
