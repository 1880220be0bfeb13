import type { FullAdmission } from "../full-props/fill-in";
import { features } from "../kubernetes-version";
import { names, namespace, ownPrefix } from "../object-names";
import type { QueryPath } from "../query-path/query-path";
import type { Tenancy } from "../tenancy/membership";
import type { AllowedRequesters, ProtectedNames, ProtectedObjects } from "./protected-objects";
import type { PodDnsRules } from "../tenancy/pod-dns-config";
import { podDnsOf, type PodDns } from "./pod-dns";
import { podOptionsOf } from "./pod-options";
import type { PlacementGuard } from "./placement-guard";

export interface AdmissionPlan {
  readonly policies: AdmissionTasks & { readonly podDnsAudit?: PodDnsRules };
  readonly webhook: AdmissionTasks & { readonly placementGuard?: PlacementGuard };
}

export interface AdmissionTasks {
  readonly podDns?: PodDns;
  readonly namespaces?: NamespaceRules;
  readonly protectedObjects?: ProtectedObjects;
}

interface NamespaceRules {
  readonly tenancy: Tenancy;
  readonly allowed: AllowedRequesters;
}

interface AdmittingCluster {
  readonly minorVersion: number;
  /** Undefined if there are no tenants. */
  readonly podDns: PodDnsRules | undefined;
  readonly hasAuthoritativeDns: boolean;
  readonly queryPath: QueryPath | undefined;
}

export function admissionPlan(said: FullAdmission, cluster: AdmittingCluster): AdmissionPlan {
  const { allowedUsers: users, allowedGroups: groups, enforcement, placementGuard, podDNSConfig } = said;
  const { minorVersion, podDns: tenants } = cluster;
  const podDns = podDnsOf(tenants, podOptionsOf(podDNSConfig));
  const allowed = { users, groups };
  const decider = (feature: number) => (minorVersion >= feature && enforcement === "policies" ? "policies" : "webhook");
  const validatedBy = decider(features.validatingAdmissionPolicy);
  const mutatedBy = decider(features.mutatingAdmissionPolicy);
  const guarded = [
    ...(cluster.hasAuthoritativeDns ? [names.authoritativeDns] : []),
    ...(cluster.queryPath?.state === "enabled" ? [names.nodeLocalDns] : []),
  ];

  const tasks = (by: "policies" | "webhook"): AdmissionTasks => ({
    ...(podDns && by === mutatedBy ? { podDns } : {}),
    ...(tenants && by === validatedBy ? { namespaces: { tenancy: tenants.tenancy, allowed } } : {}),
    ...(by === validatedBy ? { protectedObjects: protectedByName(cluster, allowed) } : {}),
  });
  return {
    policies: {
      ...tasks("policies"),
      // In addition to the webhook: finds pods created while the webhook was down.
      ...(tenants && minorVersion >= features.validatingAdmissionPolicy ? { podDnsAudit: tenants } : {}),
    },
    webhook: {
      ...tasks("webhook"),
      ...(placementGuard && guarded.length > 0 ? { placementGuard: { namespace, names: guarded } } : {}),
    },
  };
}

export function hasPolicies({ policies }: AdmissionPlan): boolean {
  return Object.keys(policies).length > 0;
}

export function needsWebhook({ webhook }: AdmissionPlan): boolean {
  return Object.keys(webhook).length > 0;
}

/** Only what is rendered: owners must be able to change the cluster's other objects. */
function protectedByName(
  { hasAuthoritativeDns, queryPath }: AdmittingCluster,
  allowed: AllowedRequesters,
): ProtectedObjects {
  const cache = queryPath?.state === "disabled" ? undefined : queryPath;
  const all: ProtectedNames[] = [
    {
      resource: "configmaps",
      names: [],
      // The configuration of the webhook and the policies is protected like the Corefiles.
      prefixes: [
        ownPrefix,
        ...(hasAuthoritativeDns ? [`${names.authoritativeDns}-`] : []),
        ...(cache ? [`${names.nodeLocalDns}-`] : []),
      ],
    },
    {
      resource: "services",
      names: [
        ...(hasAuthoritativeDns ? [names.dnsService] : []),
        ...(cache?.clusterServers === "upstream-service" ? [names.upstreamService] : []),
      ],
      prefixes: [],
    },
  ];
  return { namespace, objects: all.filter((one) => one.names.length + one.prefixes.length > 0), allowed };
}
