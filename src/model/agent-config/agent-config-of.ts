import { healthZone } from "../corefile/node-local-dns";
import type { FullProps } from "../full-props/fill-in";
import type { QueryPath } from "../query-path/query-path";
import type { AgentConfig } from "./agent-config";
import { healthPorts, nodeAddressVariable } from "../node-programs";
import { thresholdsOf } from "./thresholds";

/** Metrics port of the watchdog, next to those of the cache (9253) and of node-cache's setup (9353). */
const watchdogPort = 9254;

/** Name of the link that carries the cache's addresses, as in node-cache. */
const linkName = "nodelocaldns";

/** Configuration of the agent's programs on a node; undefined if it makes no link and rules there. */
export function agentConfigOf(said: FullProps, path: QueryPath): AgentConfig | undefined {
  const { clusterDNS, kubeProxyMode, upstreamNameservers, resolvConf = "/etc/resolv.conf" } = said;
  const { interception, state, clusterServers, linkLocalAddresses, linkMadeBy } = path;
  if (linkMadeBy !== "agent") return undefined;
  if (interception === "local-redirect" || clusterServers === "upstream-service") return undefined;
  if (kubeProxyMode === "none" || state === "disabled") return undefined;
  const { namespace, name, portNames } = said.authoritativeDNS.service;
  const { watchdog, packetFilter, markBit, queryLimit, watchdogThresholds } = said.nodeLocalDNS;
  return {
    version: 1,
    state,
    watchdog,
    interception,
    kubeProxyMode,
    packetFilter,
    serviceIPs: clusterDNS,
    linkLocalIPs: linkLocalAddresses,
    markBit,
    ...(queryLimit !== undefined && { queryLimit }),
    linkName,
    clusterDNSService: { namespace, name, udpPort: portNames.udp, tcpPort: portNames.tcp },
    healthZone,
    ...(state === "enabled" && upstreamNameservers === undefined ? { resolvConf } : {}),
    clusterZone: { name: `kubernetes.default.svc.${said.clusterDomain}`, servers: clusterServers },
    metrics: {
      port: watchdogPort,
      address: said.metricsAddress === "loopback" ? "127.0.0.1" : `$${nodeAddressVariable}`,
    },
    healthPort: healthPorts.watchdog,
    thresholds: thresholdsOf(watchdogThresholds),
  };
}
