import { features } from "../kubernetes-version";
import type { ClusterDnsProps, KubeProxyMode } from "../props/cluster-dns";
import type { Interception, PacketFilter } from "../props/node-local-dns";

/** What follows from how Services are programmed on a node: one row a mode. */
export interface ProxyMode {
  /** How the cluster file says it. */
  readonly name: string;
  /** Minor version of Kubernetes that has the mode, where it is newer than the oldest supported one. */
  readonly since?: number;
  /** Interceptions that work, the default first; none: no node cache. */
  readonly interceptions: readonly Interception[];
  /** How our rules lead a query that no cache takes to Service `kube-dns`, for each packet filter that can. */
  readonly pastCache: { readonly [filter in PacketFilter]?: PastCache[filter] };
  /** Whether the addresses of Services are addresses of the node. */
  readonly serviceIPsAreLocal: boolean;
}

/**
 * `translate`: the destination becomes the service IP before conntrack sees the packet, so kube-proxy meets an ordinary packet to
 * the Service. `dnat`: NAT of our own to the service IP. `kube-proxy-chain`: a jump to the chain that kube-proxy keeps for the Service.
 */
export interface PastCache {
  readonly nftables: "translate" | "dnat";
  readonly iptables: "dnat" | "kube-proxy-chain";
}

const byKubeProxyMode: { readonly [mode in KubeProxyMode]: ProxyMode } = {
  iptables: {
    name: "kubeProxyMode: iptables",
    interceptions: ["service-ip", "link-local"],
    pastCache: { nftables: "translate", iptables: "kube-proxy-chain" },
    serviceIPsAreLocal: false,
  },
  nftables: {
    name: "kubeProxyMode: nftables",
    since: features.nftables,
    interceptions: ["service-ip", "link-local"],
    pastCache: { nftables: "translate" },
    serviceIPsAreLocal: false,
  },
  // Packets to the service IP always meet the IPVS rules (KEP-1024, Risks).
  ipvs: {
    name: "kubeProxyMode: ipvs",
    interceptions: ["link-local"],
    pastCache: { nftables: "dnat", iptables: "dnat" },
    serviceIPsAreLocal: true,
  },
  // Who handles Services is unknown, and so is what would intercept queries to them.
  none: { name: "kubeProxyMode: none", interceptions: [], pastCache: {}, serviceIPsAreLocal: false },
};

/** Cilium handles Services in eBPF, before any packet rule (cilium#10651), whatever kube-proxy does beside it. */
const cilium: ProxyMode = {
  name: "cni: cilium",
  interceptions: ["local-redirect"],
  pastCache: {},
  serviceIPsAreLocal: false,
};

/** The row of a cluster. */
export function proxyMode({ kubeProxyMode, cni }: Pick<ClusterDnsProps, "kubeProxyMode" | "cni">): ProxyMode {
  return cni === "cilium" ? cilium : byKubeProxyMode[kubeProxyMode];
}
