import type { ClusterDnsProps } from "../src/model/props/cluster-dns";

/** The shortest description of a cluster whose nodes have a cache with an agent. */
export const cached = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  agentImage: "agent:1",
} as const satisfies ClusterDnsProps;
