import { features } from "../kubernetes-version";
import type { ClusterDnsProps, KubeProxyMode } from "../props/cluster-dns";
import type { Interception, PacketFilter } from "../props/node-local-dns";

/** What follows from how Services are implemented on a node: one row per mode. */
export interface ProxyMode {
  /** How the cluster file sets it. */
  readonly name: string;
  /** The first minor version of Kubernetes with the mode, if newer than the oldest supported one. */
  readonly since?: number;
  /** Interceptions that work, the default first; empty: no node cache. */
  readonly interceptions: readonly Interception[];
  /** How our rules send a query that no cache takes to Service `kube-dns`, for each packet filter that can. */
  readonly pastCache: { readonly [filter in PacketFilter]?: PastCache[filter] };
  /** Whether the addresses of Services are addresses of the node. */
  readonly serviceIPsAreLocal: boolean;
  readonly services: string;
}

/**
 * `translate`: the destination becomes the service IP before conntrack sees the packet, so kube-proxy gets an ordinary
 * packet to the Service. `dnat`: our own NAT to the service IP. `kube-proxy-chain`: a jump to kube-proxy's chain for
 * the Service.
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
    services: "kube-proxy",
  },
  nftables: {
    name: "kubeProxyMode: nftables",
    since: features.nftables,
    interceptions: ["service-ip", "link-local"],
    pastCache: { nftables: "translate" },
    serviceIPsAreLocal: false,
    services: "kube-proxy",
  },
  // Packets to the service IP always meet the IPVS rules (KEP-1024, Risks).
  ipvs: {
    name: "kubeProxyMode: ipvs",
    interceptions: ["link-local"],
    pastCache: { nftables: "dnat", iptables: "dnat" },
    serviceIPsAreLocal: true,
    services: "IPVS",
  },
  // It is unknown what handles Services, and so how to intercept queries to them.
  none: {
    name: "kubeProxyMode: none",
    interceptions: [],
    pastCache: {},
    serviceIPsAreLocal: false,
    services: "whatever handles Services",
  },
};

/** Cilium handles Services in eBPF, before any packet rule (cilium#10651), even next to a kube-proxy. */
const cilium: ProxyMode = {
  name: "cni: cilium",
  interceptions: ["local-redirect"],
  pastCache: {},
  serviceIPsAreLocal: false,
  services: "Cilium",
};

export function proxyMode({ kubeProxyMode, cni }: Pick<ClusterDnsProps, "kubeProxyMode" | "cni">): ProxyMode {
  return cni === "cilium" ? cilium : byKubeProxyMode[kubeProxyMode];
}
