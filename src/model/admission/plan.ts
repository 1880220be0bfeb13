import { features, minorVersion, supportedMinors } from "../kubernetes-version";
import { queryPath, upstreamServiceName } from "../query-path/query-path";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { TenancyOptions } from "../props/tenancy";
import type { AllowedRequesters, ProtectedNames, ProtectedObjects } from "./protected-objects";
import type { PodDnsRules } from "./tenant-dns";
import type { PlacementGuard } from "./webhook-config";

/** What is decided at admission, and by what. */
export interface AdmissionPlan {
  readonly policies: AdmissionTasks & { readonly podDnsAudit?: PodDnsRules };
  readonly webhook: AdmissionTasks & { readonly placementGuard?: PlacementGuard };
}

export interface AdmissionTasks {
  readonly podDns?: PodDnsRules;
  readonly namespaces?: NamespaceRules;
  readonly protectedObjects?: ProtectedObjects;
}

/** Names and tenants of namespaces. */
export interface NamespaceRules {
  readonly tenancy: TenancyOptions;
  readonly allowed: AllowedRequesters;
}

/** Undefined where nobody asked for admission. Takes props that passed the checks. */
export function admissionPlan(props: ClusterDnsProps): AdmissionPlan | undefined {
  const { admission, kubernetesVersion } = props;
  if (!admission) return undefined;
  const minor = minorVersion(kubernetesVersion ?? "") ?? supportedMinors.oldest;
  const decider = (feature: number) =>
    minor >= feature && admission.enforcement !== "webhook" ? ("policies" as const) : ("webhook" as const);
  const validatedBy = decider(features.validatingAdmissionPolicy);
  const mutatedBy = decider(features.mutatingAdmissionPolicy);
  const podDns = podDnsRules(props);
  const protectedObjects = protectedByName(props);
  const guarded = admission.placementGuard ? dnsWorkloads(props) : [];

  const tasks = (by: "policies" | "webhook"): AdmissionTasks => ({
    ...(podDns && by === mutatedBy ? { podDns } : {}),
    ...(podDns && by === validatedBy ? { namespaces: { tenancy: podDns.tenancy, allowed: allowed(props) } } : {}),
    ...(protectedObjects && by === validatedBy ? { protectedObjects } : {}),
  });
  return {
    policies: {
      ...tasks("policies"),
      // Beside the webhook too: it finds what was made while that was away.
      ...(podDns && minor >= features.validatingAdmissionPolicy ? { podDnsAudit: podDns } : {}),
    },
    webhook: {
      ...tasks("webhook"),
      ...(guarded.length > 0 ? { placementGuard: { namespace: "kube-system", names: guarded } } : {}),
    },
  };
}

/** Whether the API server itself decides anything. */
export function hasPolicies(plan: AdmissionPlan | undefined): boolean {
  return plan !== undefined && Object.keys(plan.policies).length > 0;
}

/** Whether anything is left that only the webhook can do, or is to do. */
export function needsWebhook(plan: AdmissionPlan | undefined): boolean {
  return plan !== undefined && Object.keys(plan.webhook).length > 0;
}

function allowed({ admission }: ClusterDnsProps): AllowedRequesters {
  return { users: admission?.allowedUsers ?? [], groups: admission?.allowedGroups ?? [] };
}

function podDnsRules(props: ClusterDnsProps): PodDnsRules | undefined {
  const { tenancy, clusterDomain = "cluster.local", clusterDNS } = props;
  return tenancy && { tenancy, clusterDomain, nameservers: queryPath(props)?.podNameservers ?? clusterDNS };
}

/** Only what is rendered: what the cluster has of its own, its owner must be able to change. */
function protectedByName(props: ClusterDnsProps): ProtectedObjects | undefined {
  const [authoritative, path] = [hasAuthoritative(props), queryPath(props)];
  const hasCache = path !== undefined && path.state !== "disabled";
  const all: ProtectedNames[] = [
    {
      resource: "configmaps",
      names: [],
      // What the webhook and the policies are told is protected as the Corefiles are.
      prefixes: ["cluster-dns-", ...(authoritative ? ["coredns-"] : []), ...(hasCache ? ["node-local-dns-"] : [])],
    },
    {
      resource: "services",
      names: [
        ...(authoritative ? ["kube-dns"] : []),
        ...(hasCache && path.clusterServers === "upstream-service" ? [upstreamServiceName] : []),
      ],
      prefixes: [],
    },
  ];
  return {
    namespace: "kube-system",
    objects: all.filter(({ names, prefixes }) => names.length + prefixes.length > 0),
    allowed: allowed(props),
  };
}

function dnsWorkloads(props: ClusterDnsProps): string[] {
  return [
    ...(hasAuthoritative(props) ? ["coredns"] : []),
    ...(queryPath(props)?.state === "enabled" ? ["node-local-dns"] : []),
  ];
}

function hasAuthoritative({ authoritativeDNS }: ClusterDnsProps): boolean {
  return authoritativeDNS?.kind !== "Existing";
}
