import type { AdmissionPlan } from "../plan";
import { namespacePolicy } from "./namespaces";
import { podDnsAuditPolicy, podDnsPolicy } from "./pod-dns";
import type { PolicyObject } from "./policy";
import { protectedObjectPolicies } from "./protected-objects";

/** All policies of a cluster, each with its binding. */
export function policyObjects({
  podDns,
  podDnsAudit,
  namespaces,
  protectedObjects,
}: AdmissionPlan["policies"]): PolicyObject[] {
  return [
    ...(protectedObjects ? protectedObjectPolicies(protectedObjects) : []),
    ...(namespaces ? namespacePolicy(namespaces.tenancy, namespaces.allowed) : []),
    ...(podDnsAudit ? podDnsAuditPolicy(podDnsAudit) : []),
    ...(podDns ? podDnsPolicy(podDns) : []),
  ];
}
