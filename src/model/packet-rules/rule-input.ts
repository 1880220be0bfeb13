import type { KubeProxyMode } from "../props/cluster-dns";
import type { PacketFilter } from "../props/node-local-dns";

/** What determines a node's rules. */
export interface RuleInput {
  readonly interception: "service-ip" | "link-local";
  readonly kubeProxyMode: Exclude<KubeProxyMode, "none">;
  readonly packetFilter: PacketFilter;
  /**
   * Addresses of the DNS Service, at most one of each family.
   * @minItems 1
   */
  readonly serviceIPs: readonly string[];
  /**
   * The cache's addresses on the link, one for each family of the Service.
   * @minItems 1
   */
  readonly linkLocalIPs: readonly string[];
  /** A bit of the packet mark and connection mark that nothing else on the node uses. */
  readonly markBit: number;
  /**
   * How many queries a second the cache takes from one pod.
   * @minimum 1
   * @maximum 10000
   * @asType integer
   */
  readonly queryLimit?: number;
  readonly linkName: string;
  /** kube-proxy names its iptables chains after this Service; only rules that jump to them need it. */
  readonly clusterDNSService: {
    readonly namespace: string;
    readonly name: string;
    readonly udpPort: string;
    readonly tcpPort: string;
  };
  /**
   * False while draining: no node has a cache, and the rules only serve pods that still hold the link-local address.
   */
  readonly cache: boolean;
}
