import { defaults, withDefaults } from "../defaults";
import { features } from "../kubernetes-version";
import { names, namespace, ownPrefix } from "../object-names";
import type { AdmissionOptions } from "../props/admission";
import type { QueryPath } from "../query-path/query-path";
import type { Tenancy } from "../tenancy/membership";
import type { AllowedRequesters, ProtectedNames, ProtectedObjects } from "./protected-objects";
import type { PodDnsRules } from "../tenancy/pod-dns-config";
import type { PlacementGuard } from "./placement-guard";

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
  readonly tenancy: Tenancy;
  readonly allowed: AllowedRequesters;
}

/** What has to be known of a cluster to decide what is admitted. */
export interface AdmittingCluster {
  readonly minorVersion: number;
  /** Undefined without tenants. */
  readonly podDns: PodDnsRules | undefined;
  /** Whether authoritative DNS is ours. */
  readonly hasAuthoritativeDns: boolean;
  readonly queryPath: QueryPath | undefined;
}

export function admissionPlan(options: AdmissionOptions, cluster: AdmittingCluster): AdmissionPlan {
  const {
    allowedUsers: users,
    allowedGroups: groups,
    enforcement,
    placementGuard,
  } = withDefaults(options, defaults.admission);
  const { minorVersion, podDns } = cluster;
  const allowed = { users, groups };
  const decider = (feature: number) => (minorVersion >= feature && enforcement === "policies" ? "policies" : "webhook");
  const validatedBy = decider(features.validatingAdmissionPolicy);
  const mutatedBy = decider(features.mutatingAdmissionPolicy);
  const guarded = placementGuard ? dnsWorkloads(cluster) : [];

  const tasks = (by: "policies" | "webhook"): AdmissionTasks => ({
    ...(podDns && by === mutatedBy ? { podDns } : {}),
    ...(podDns && by === validatedBy ? { namespaces: { tenancy: podDns.tenancy, allowed } } : {}),
    ...(by === validatedBy ? { protectedObjects: protectedByName(cluster, allowed) } : {}),
  });
  return {
    policies: {
      ...tasks("policies"),
      // Beside the webhook too: it finds what was made while the webhook was away.
      ...(podDns && minorVersion >= features.validatingAdmissionPolicy ? { podDnsAudit: podDns } : {}),
    },
    webhook: {
      ...tasks("webhook"),
      ...(guarded.length > 0 ? { placementGuard: { namespace, names: guarded } } : {}),
    },
  };
}

/** Whether the API server itself decides anything. */
export function hasPolicies({ policies }: AdmissionPlan): boolean {
  return Object.keys(policies).length > 0;
}

/** Whether anything is left that only the webhook can do, or is to do. */
export function needsWebhook({ webhook }: AdmissionPlan): boolean {
  return Object.keys(webhook).length > 0;
}

/** Only what is rendered: what the cluster has of its own, its owner must be able to change. */
function protectedByName(
  { hasAuthoritativeDns, queryPath }: AdmittingCluster,
  allowed: AllowedRequesters,
): ProtectedObjects {
  const cache = queryPath?.state === "disabled" ? undefined : queryPath;
  const all: ProtectedNames[] = [
    {
      resource: "configmaps",
      names: [],
      // What the webhook and the policies are told is protected as the Corefiles are.
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

function dnsWorkloads({ hasAuthoritativeDns, queryPath }: AdmittingCluster): string[] {
  return [
    ...(hasAuthoritativeDns ? [names.authoritativeDns] : []),
    ...(queryPath?.state === "enabled" ? [names.nodeLocalDns] : []),
  ];
}
