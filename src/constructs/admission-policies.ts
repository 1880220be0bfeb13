import type { ApiObject } from "cdk8s";
import type { KubeConfigMapProps } from "cdk8s-plus-27/lib/imports/k8s";
import { Construct } from "constructs";
import { admissionPlan } from "../model/admission/plan";
import { namespacePolicy } from "../model/admission/policies/namespaces";
import {
  podDnsAuditPolicy,
  podDnsPolicy,
  tenantsConfigMapName,
  tenantsData,
} from "../model/admission/policies/pod-dns";
import type { PolicyObject } from "../model/admission/policies/policy";
import { protectedObjectPolicies } from "../model/admission/policies/protected-objects";
import { wave } from "../model/gitops";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { addObject, namespace, type Metadata } from "./api-object";
import { checkProps } from "./check-props";

/** What the API server itself decides at admission (`admission`): ValidatingAdmissionPolicies and, from 1.36, a MutatingAdmissionPolicy. */
export class AdmissionPolicies extends Construct {
  /** Policies, each with its binding. */
  readonly policies: readonly ApiObject[];
  /** The namespaces of each tenant that lists them, for the policies of pods; undefined where they need none. */
  readonly tenants?: ApiObject;

  /**
   * @throws Error with everything that is wrong with the props; also without `admission`, or for a version without policies.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps) {
    super(scope, id);
    checkProps(this, props);
    const { podDns, podDnsAudit, namespaces, protectedObjects } = admissionPlan(props)?.policies ?? {};
    const objects = [
      ...(protectedObjects ? protectedObjectPolicies(protectedObjects) : []),
      ...(namespaces ? namespacePolicy(namespaces.tenancy, namespaces.allowed) : []),
      ...(podDnsAudit ? podDnsAuditPolicy(podDnsAudit) : []),
      ...(podDns ? podDnsPolicy(podDns) : []),
    ];
    if (objects.length === 0) {
      throw new Error(
        `${this.node.path} has no policies to construct: say admission, and a kubernetesVersion of "1.30" or newer`,
      );
    }
    // Before what refers to it.
    const data = podDnsAudit && tenantsData(podDnsAudit.tenancy);
    if (data) {
      this.tenants = addObject<KubeConfigMapProps>(this, props, ["v1", "ConfigMap"], {
        metadata: { name: tenantsConfigMapName, namespace, annotations: wave("config") },
        data,
      });
    }
    this.policies = objects.map(({ apiVersion, kind, metadata, spec }) =>
      addObject<Pick<PolicyObject, "spec"> & { metadata: Metadata }>(this, props, [apiVersion, kind], {
        metadata: { ...metadata, annotations: wave("admission") },
        spec,
      }),
    );
  }
}
