export interface ClusterOptions {
  /** Distinguishes clusters on the same machine. */
  readonly name: string;
  readonly proxyMode: "iptables" | "nftables";
  /** node-1, node-2 ... */
  readonly nodes: number;
  readonly ipFamilies: "IPv4" | "dual";
  /** Nodes have Cilium, in place of kube-proxy and the bridge. */
  readonly cilium?: boolean;
  /** Only etcd and an API server of this version: no nodes, no controllers. Default: the whole cluster. */
  readonly apiServerOnly?: "1.35" | "1.37";
  /** Additional features to enable in the whole control plane: `NAME=true`. */
  readonly featureGates?: readonly string[];
  /** The process whose end is also the cluster's end. Default: none, it stays until taken down. */
  readonly ownerPid?: number;
}
