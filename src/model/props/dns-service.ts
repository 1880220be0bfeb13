import type { NamespaceName, ServiceLabel } from "./values";

/** The Service of a DNS that the cluster already has, whose address pods ask, and the pods behind it. */
export interface DnsServiceOptions {
  /**
   * Namespace of the Service and of its pods. Outside kube-system, a node cache needs `agentImage`.
   * @default kube-system
   */
  readonly namespace?: NamespaceName;

  /**
   * Name of the Service.
   * @default kube-dns
   */
  readonly name?: ServiceLabel;

  /**
   * Labels by which it selects its pods.
   * @default {"k8s-app":"kube-dns"}
   */
  readonly selector?: { readonly [label: string]: string };

  /**
   * Number of the port at which its pods listen.
   * @default 53
   * @minimum 1
   * @maximum 65535
   * @asType integer
   */
  readonly targetPort?: number;

  /**
   * Names of the Service's ports: kube-proxy's chains and Cilium's redirects go by them.
   * @default - udp dns, tcp dns-tcp
   */
  readonly portNames?: DnsPortNames;
}

/** Names of a DNS Service's two ports 53. */
export interface DnsPortNames {
  /**
   * Of the port for UDP.
   * @default dns
   */
  readonly udp?: ServiceLabel;

  /**
   * Of the port for TCP.
   * @default dns-tcp
   */
  readonly tcp?: ServiceLabel;
}
