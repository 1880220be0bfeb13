import { queryPath } from "../query-path/query-path";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { TenancyOptions } from "../props/tenancy";
import type { Member } from "./membership";

/** `dnsConfig` of a pod, for `dnsPolicy: None`: under ClusterFirst the kubelet would put its own searches first. */
export interface PodDnsConfig {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly { readonly name: string; readonly value: string }[];
}

/** Dots below which a name is completed by the search list first: `_http._tcp.foo.bar.baz` has four, a name below `svc.cluster.local` five. */
export const tenantNdots = 6;

/** The DNS configuration that pods in a tenant's namespace must have, so that its names answer as they are promised. */
export function podDnsConfig(props: ClusterDnsProps, member: Member): PodDnsConfig {
  return {
    nameservers: queryPath(props)?.podNameservers ?? props.clusterDNS,
    searches: searchList(props.tenancy?.isolation, member, props.clusterDomain),
    options: [{ name: "ndots", value: String(tenantNdots) }],
  };
}

/**
 * The search list of a namespace of a tenant. `soft` leaves out what reaches beyond the tenant; with `hard` the server
 * does not answer it, so the list may keep the names of the cluster's own Services short.
 */
export function searchList(
  isolation: TenancyOptions["isolation"] = "open",
  { tenant, namespace }: Member,
  clusterDomain = "cluster.local",
): string[] {
  const services = `svc.${clusterDomain}`;
  const own = [`${namespace}.${tenant}.${services}`, `${tenant}.${services}`];
  return isolation === "soft" ? own : [...own, services, clusterDomain];
}
