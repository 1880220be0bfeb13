import type { PodSpec } from "../kubernetes/kinds";
import type { NamespaceFacts } from "../tenancy/membership";
import { withinCluster, type PodDnsConfig, type PodDnsOption, type PodDnsRules } from "../tenancy/pod-dns-config";
import type { PodOptions } from "./pod-options";
import { isUntouched, tenantDns } from "./tenant-dns";

export type PodDns =
  | { readonly tenants: PodDnsRules; readonly all?: PodOptions }
  | { readonly tenants?: undefined; readonly all: PodOptions };

/** Undefined: nothing. */
export function podDnsOf(tenants: PodDnsRules | undefined, all: PodOptions | undefined): PodDns | undefined {
  if (tenants) return { tenants, ...(all && { all }) };
  return all && { all };
}

/** A pod's own resolver settings (core/v1 PodDNSConfig). */
export type OwnDnsConfig = NonNullable<PodSpec["dnsConfig"]>;

/** The DNS fields of a pod (core/v1 Pod). */
export interface DnsPod {
  readonly metadata?: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec: {
    readonly dnsPolicy?: string;
    readonly hostNetwork?: boolean;
    readonly dnsConfig?: OwnDnsConfig;
    readonly os?: { readonly name?: string };
    readonly nodeSelector?: { readonly [label: string]: string };
  };
}

export type PodDnsDecision =
  | { readonly action: "leave" }
  | {
      readonly action: "set";
      /** Undefined: as it is. */
      readonly dnsPolicy?: "None";
      readonly dnsConfig: OwnDnsConfig;
      readonly warnings: readonly string[];
    }
  | { readonly action: "deny"; readonly message: string };

/**
 * Pods that keep the node's DNS (`dnsPolicy: Default`, or host network) get the tenant's if this annotation is
 * `"true"`. This is not the default: such pods often serve the node itself, and must resolve names while the cluster's
 * DNS is down.
 */
export const optInAnnotation = "cluster-dns/tenant-dns";

/** The kubelet creates mirror pods of its static pods; their spec must stay as it is on the node. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

export const osLabel = "kubernetes.io/os";

/** core/v1 validation, ValidatePodDNSConfig: MaxDNSNameservers, MaxDNSSearchPaths, MaxDNSSearchListChars. */
const dnsLimits = { nameservers: 3, searches: 32, searchCharacters: 2048 } as const;

/** How much of a search list glibc up to 2.25 (MAXDNSRCH) and musl read. */
const oldResolverLimits = { searches: 6, searchCharacters: 256 } as const;

/** The DNS configuration of a pod at its creation; afterwards the API server does not allow changes. */
export function decidePodDns(pod: DnsPod, podDns: PodDns, namespace: NamespaceFacts): PodDnsDecision {
  const decision = decideTenantDns(pod, podDns.tenants, namespace);
  if (decision.action === "deny") return decision;
  // After the tenant's, whose `ndots` counts as the pod's own.
  const dnsConfig = decision.action === "set" ? decision.dnsConfig : (pod.spec.dnsConfig ?? {});
  const { options = [] } = dnsConfig;
  const more = optionsFor(pod, podDns.all, namespace).filter(({ name }) => !options.some((one) => one.name === name));
  if (more.length === 0) return decision;
  return { warnings: [], ...decision, action: "set", dnsConfig: { ...dnsConfig, options: [...options, ...more] } };
}

function decideTenantDns(pod: DnsPod, rules: PodDnsRules | undefined, namespace: NamespaceFacts): PodDnsDecision {
  const wanted = rules && tenantDns(rules, namespace);
  if (!wanted || !takesTenantDns(pod, rules)) return { action: "leave" };
  const own = pod.spec.dnsConfig ?? {};
  const dnsConfig = mergedDnsConfig(rules.tenancy.strict ? withoutTenants(own, wanted, rules) : own, wanted);
  const message = overLimit(dnsConfig, wanted);
  if (message !== undefined) return { action: "deny", message };
  return { action: "set", dnsPolicy: "None", dnsConfig, warnings: searchWarnings(dnsConfig) };
}

function optionsFor(pod: DnsPod, all: PodOptions | undefined, namespace: NamespaceFacts): readonly PodDnsOption[] {
  const isTaken = asksCluster(pod) && !isMirror(pod) && !isForWindows(pod) && !isUntouched(namespace);
  return all && isTaken && !all.excludedNamespaces.includes(namespace.name) ? all.options : [];
}

/** Unless `strict`, `None` with a configuration of its own is left alone, so that it is not set twice. */
export function takesTenantDns(pod: DnsPod, { tenancy }: Pick<PodDnsRules, "tenancy">): boolean {
  if (isMirror(pod)) return false;
  const isOptedIn = pod.metadata?.annotations?.[optInAnnotation] === "true";
  return tenancy.strict === true || asksCluster(pod) || (isOptedIn && pod.spec.dnsPolicy !== "None");
}

/** On the host's network, the kubelet treats ClusterFirst as Default. */
function asksCluster({ spec: { dnsPolicy = "ClusterFirst", hostNetwork } }: DnsPod): boolean {
  return dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && hostNetwork !== true);
}

function isMirror({ metadata }: DnsPod): boolean {
  return metadata?.annotations?.[mirrorAnnotation] !== undefined;
}

/** Windows has no options. */
function isForWindows({ spec: { os, nodeSelector } }: DnsPod): boolean {
  return os?.name === "windows" || nodeSelector?.[osLabel] === "windows";
}

/** What `strict` leaves of a pod's own: nothing that the tenant decides. */
function withoutTenants(own: OwnDnsConfig, wanted: PodDnsConfig, rules: PodDnsRules): OwnDnsConfig {
  const { searches = [], options = [] } = own;
  const within = new RegExp(withinCluster(rules));
  return {
    ...own,
    searches: searches.filter((search) => !within.test(search)),
    options: options.filter(({ name }) => !wanted.options.some((one) => one.name === name)),
  };
}

/** The tenant's entries first, then the pod's own without duplicates; an option of the pod overrides the tenant's. */
function mergedDnsConfig(own: OwnDnsConfig, wanted: PodDnsConfig): Required<OwnDnsConfig> {
  const { nameservers = [], searches = [], options = [] } = own;
  return {
    ...own,
    nameservers: [...wanted.nameservers, ...nameservers.filter((one) => !wanted.nameservers.includes(one))],
    searches: [...wanted.searches, ...searches.filter((one) => !wanted.searches.includes(one))],
    options: [...wanted.options.filter(({ name }) => !options.some((one) => one.name === name)), ...options],
  };
}

// The API server would refuse these too, but cannot say whose entries they are.
function overLimit({ nameservers, searches }: Required<OwnDnsConfig>, wanted: PodDnsConfig): string | undefined {
  const characters = searches.join(" ").length;
  const tooMany = (what: string, got: number, most: number, ours: number) =>
    `spec.dnsConfig.${what}: ${got} together with the ${ours} of the tenant, at most ${most} are allowed; remove ${got - most} of the pod's own`;
  if (nameservers.length > dnsLimits.nameservers) {
    return tooMany("nameservers", nameservers.length, dnsLimits.nameservers, wanted.nameservers.length);
  }
  if (searches.length > dnsLimits.searches)
    return tooMany("searches", searches.length, dnsLimits.searches, wanted.searches.length);
  if (characters > dnsLimits.searchCharacters) {
    return `spec.dnsConfig.searches: ${characters} characters together with those of the tenant, at most ${dnsLimits.searchCharacters} are allowed; remove some of the pod's own`;
  }
  return undefined;
}

function searchWarnings({ searches }: Required<OwnDnsConfig>): string[] {
  const characters = searches.join(" ").length;
  if (searches.length <= oldResolverLimits.searches && characters <= oldResolverLimits.searchCharacters) return [];
  return [
    `spec.dnsConfig.searches: ${searches.length} entries of ${characters} characters; musl, and glibc before 2.26, read only ${oldResolverLimits.searches} and ${oldResolverLimits.searchCharacters}`,
  ];
}
