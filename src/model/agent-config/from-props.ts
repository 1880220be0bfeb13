import { healthZone } from "../corefile/node-local-dns";
import { upstreamServiceVariable, type QueryPath } from "../query-path/query-path";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { AgentConfig } from "./agent-config";

/** Metrics and health of the watchdog; beside those of the cache (9253) and of node-cache's setup (9353). */
export const watchdogPort = 9254;

/** Name of the link that carries the cache's addresses, as node-cache has it. */
const linkName = "nodelocaldns";

/** Free of kube-proxy (0x4000, 0x8000), CNI portmap (0x2000), Calico (0xffff0000), Cilium (0x0f00), AWS (0x80) and Istio (0x539). */
const defaultMarkBit = 0x1000;

/**
 * What the agent's programs are told, from the same path that the cache and the kubelets follow.
 * @throws Error where that path has no link and no rules.
 */
export function agentConfig(props: ClusterDnsProps, path: QueryPath): AgentConfig {
  const { clusterDNS, kubeProxyMode, clusterDomain = "cluster.local", nodeLocalDNS = {} } = props;
  const { interception, state, clusterServers } = path;
  if (interception === "local-redirect" || kubeProxyMode === "none" || state === "disabled") {
    throw new Error(
      `${interception} with kubeProxyMode ${kubeProxyMode}, state ${state} has nothing for an agent to do`,
    );
  }
  return {
    version: 1,
    state,
    watchdog: nodeLocalDNS.watchdog ?? true,
    interception,
    kubeProxyMode,
    packetFilter: nodeLocalDNS.packetFilter ?? "nftables",
    serviceIPs: clusterDNS,
    linkLocalIPs: path.linkLocalAddresses,
    markBit: nodeLocalDNS.markBit ?? defaultMarkBit,
    linkName,
    clusterDNSService: { namespace: "kube-system", name: "kube-dns", udpPort: "dns", tcpPort: "dns-tcp" },
    healthZone,
    clusterZone: {
      name: `kubernetes.default.svc.${clusterDomain}`,
      servers: clusterServers === "upstream-service" ? [`$${upstreamServiceVariable}`] : clusterServers,
    },
    metrics: { port: watchdogPort },
    ...(nodeLocalDNS.watchdogThresholds && { thresholds: nodeLocalDNS.watchdogThresholds }),
  };
}
