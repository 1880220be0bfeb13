import { queryPath } from "./query-path/query-path";
import type { ClusterDnsProps } from "./spec/cluster-dns";
import { clusterFacts, type AuthoritativeDnsProps, type NodeLocalDnsProps } from "./spec/component-props";

// Which components a cluster has, and with which props.

/** Undefined where the cluster keeps the DNS that it has. */
export function authoritativeDnsProps(props: ClusterDnsProps): AuthoritativeDnsProps | undefined {
  return props.authoritativeDNS?.kind === "Existing" ? undefined : { ...clusterFacts(props), ...props.authoritativeDNS };
}

/** Undefined where no cache runs. */
export function nodeLocalDnsProps(props: ClusterDnsProps): NodeLocalDnsProps | undefined {
  return queryPath(props)?.state === "enabled" ? { ...clusterFacts(props), ...props.nodeLocalDNS } : undefined;
}
