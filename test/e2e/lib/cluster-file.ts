import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage } from "../../../rig/cluster/agent-image";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

/** What a test's cluster file says, unless a test says otherwise. */
export const facts = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "iptables",
  agentImage,
} as const satisfies ClusterDnsProps;

/** The same, with CoreDNS alone. */
export const uncached = { ...facts, nodeLocalDNS: { state: "disabled" } } as const satisfies ClusterDnsProps;
