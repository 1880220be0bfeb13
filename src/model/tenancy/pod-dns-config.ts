import type { Member, Tenancy } from "./membership";

/** `dnsConfig` of a pod, for `dnsPolicy: None`: with ClusterFirst, the kubelet would put its own searches first. */
export interface PodDnsConfig {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly PodDnsOption[];
}

/** core/v1 PodDNSConfigOption. */
export interface PodDnsOption {
  readonly name: string;
  readonly value?: string;
}

/** What determines the DNS configuration of tenants' pods. */
export interface PodDnsRules {
  readonly tenancy: Tenancy;
  readonly clusterDomain: string;
  /** The nameservers of pods. */
  readonly nameservers: readonly string[];
}

/**
 * Names with fewer dots are tried with the search list first: `_http._tcp.foo.bar.baz` has four, a name below
 * `svc.cluster.local` five.
 */
export const tenantNdots = 6;

/** Search domains within the cluster, with and without a dot at the end. In the syntax of RE2, too. */
export function withinCluster({ clusterDomain }: Pick<PodDnsRules, "clusterDomain">): string {
  return `(^|[.])${clusterDomain.replaceAll(".", "[.]")}[.]?$`;
}

/** The DNS configuration that pods in a tenant's namespace need for its names to resolve as promised. */
export function podDnsConfig({ tenancy, clusterDomain, nameservers }: PodDnsRules, member: Member): PodDnsConfig {
  return {
    nameservers,
    searches: searchList(tenancy, member, clusterDomain),
    options: [{ name: "ndots", value: String(tenantNdots) }],
  };
}

/**
 * The search list of a tenant's namespace. `soft` leaves out whatever reaches beyond the tenant; with `hard` the server
 * does not answer that, so the list may keep the names of the cluster's own Services short.
 */
export function searchList(
  { isolation }: Pick<Tenancy, "isolation">,
  { tenant, namespace }: Member,
  clusterDomain: string,
): string[] {
  const services = `svc.${clusterDomain}`;
  const own = [`${namespace}.${tenant}.${services}`, `${tenant}.${services}`];
  return isolation === "soft" ? own : [...own, services, clusterDomain];
}
