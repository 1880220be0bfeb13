/** Every way in which rules of a packet filter lead queries to a cache beside a kube-proxy. */
export const ways = (["service-ip", "link-local"] as const).flatMap((interception) =>
  (["nftables", "iptables"] as const).flatMap((packetFilter) =>
    (["iptables", "nftables"] as const).map((kubeProxyMode) => {
      const name = `${interception}, kube-proxy ${kubeProxyMode}, ${packetFilter} rules`;
      return { name, row: { interception, packetFilter, kubeProxyMode } };
    }),
  ),
);
