import { memberOf, type NamespaceFacts } from "../tenancy/membership";
import { searchList, tenantNdots } from "../tenancy/pod-dns-config";
import type { TenancyOptions } from "../props/tenancy";
import type { TenantDns } from "./pod-dns";

/** What has to be known to give pods the DNS configuration of their tenant. */
export interface PodDnsRules {
  readonly tenancy: TenancyOptions;
  readonly clusterDomain: string;
  readonly nameservers: readonly string[];
}

/** Pods here never get it: the cluster's own start before everything else, and serve nodes. */
export const untouchedNamespaces = ["kube-system", "kube-node-lease"] as const;

/** What the pods of a namespace are to have; undefined where it is no tenant's. */
export function tenantDns(
  { tenancy, clusterDomain, nameservers }: PodDnsRules,
  namespace: NamespaceFacts,
): TenantDns | undefined {
  if (untouchedNamespaces.some((name) => name === namespace.name)) return undefined;
  const member = memberOf(tenancy, namespace);
  if (!member) return undefined;
  return {
    nameservers,
    searches: searchList(tenancy.isolation, member, clusterDomain),
    options: [{ name: "ndots", value: String(tenantNdots) }],
  };
}
