import { clusterOf } from "../src/model/cluster/cluster";
import type { Cluster } from "../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../src/model/props/cluster-dns";

/** The shortest description of a cluster whose nodes have a cache with an agent. */
export const cached = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  agentImage: "agent:1",
} as const satisfies ClusterDnsProps;

/** The settings of a component of a cluster, which has to have it. */
export function componentOf<Name extends keyof Cluster["components"]>(name: Name, props: ClusterDnsProps) {
  const settings = clusterOf(props).components[name];
  if (!settings) throw new Error(`the cluster has no ${name}`);
  return settings;
}
