import { memberOf, type NamespaceFacts } from "../tenancy/membership";
import { podDnsConfig, type PodDnsConfig, type PodDnsRules } from "../tenancy/pod-dns-config";

/** Pods here never get it: the cluster's own pods start before everything else, and serve nodes. */
export const untouchedNamespaces = ["kube-system", "kube-node-lease"] as const;

export function tenantDns(rules: PodDnsRules, namespace: NamespaceFacts): PodDnsConfig | undefined {
  const member = isUntouched(namespace) ? undefined : memberOf(rules.tenancy, namespace);
  return member && podDnsConfig(rules, member);
}

export function isUntouched({ name }: NamespaceFacts): boolean {
  return untouchedNamespaces.some((one) => one === name);
}
