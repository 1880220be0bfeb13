import type { NamespaceName } from "./values";

/** Which pods on the pod network may be reached by whom, see docs/network-policies.md. */
export interface NetworkPolicyOptions {
  /**
   * Namespaces whose pods may read the metrics of CoreDNS, of the webhook and, with Cilium, of the cache; `[]`: none.
   * A collector on the host's network has no namespace.
   * @default - `monitoring.namespace` if that is set, as a Prometheus is usually beside its monitors; otherwise
   * `["monitoring"]`, kube-prometheus's
   */
  readonly metricsNamespaces?: readonly NamespaceName[];
}
