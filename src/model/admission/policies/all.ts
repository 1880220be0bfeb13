import type { AdmissionPlan } from "../plan";
import { namespacePolicy } from "./namespaces";
import { podDnsAuditPolicy, podDnsPolicy } from "./pod-dns";
import type { PolicyObject } from "./policy";
import { protectedObjectPolicies } from "./protected-objects";

export function policyObjects(tasks: AdmissionPlan["policies"]): PolicyObject[] {
  const { podDns, podDnsAudit, namespaces, protectedObjects } = tasks;
  return [
    ...(protectedObjects ? protectedObjectPolicies(protectedObjects) : []),
    ...(namespaces ? namespacePolicy(namespaces.tenancy, namespaces.allowed) : []),
    ...(podDnsAudit ? podDnsAuditPolicy(podDnsAudit) : []),
    ...(podDns ? podDnsPolicy(podDns) : []),
  ];
}
