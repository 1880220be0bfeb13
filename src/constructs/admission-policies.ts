import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { namespacePolicy } from "../model/admission/policies/namespaces";
import { podDnsAuditPolicy, podDnsPolicy, tenantsData } from "../model/admission/policies/pod-dns";
import { protectedObjectPolicies } from "../model/admission/policies/protected-objects";
import type { Cluster } from "../model/cluster/cluster";
import { names } from "../model/object-names";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { Component } from "./component";

/**
 * What the API server itself enforces at admission (`admission`): ValidatingAdmissionPolicies and, from 1.36, a
 * MutatingAdmissionPolicy.
 */
export class AdmissionPolicies extends Component {
  protected readonly stage = "admission";
  /** Policies, each followed by its binding. */
  readonly policies: readonly ApiObject[];
  /** The namespaces of each tenant that lists them, for the pod policies; undefined if they need none. */
  readonly tenants?: ApiObject;

  /**
   * @throws Error listing everything wrong with the props, or if there is no `admission` or the version lacks policies.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps | Cluster) {
    super(scope, id, props);
    const tasks = this.cluster.components.admissionPolicies;
    if (!tasks) {
      throw new Error(
        `${this.node.path} has no policies to construct; set admission, and kubernetesVersion to "1.30" or newer`,
      );
    }
    const { podDns, podDnsAudit, namespaces, protectedObjects } = tasks;
    // Before the policies that refer to it.
    const data = podDnsAudit && tenantsData(podDnsAudit.tenancy);
    if (data) this.tenants = this.add("ConfigMap", { metadata: { name: names.tenants }, data });
    const policies = [
      ...(protectedObjects ? protectedObjectPolicies(protectedObjects) : []),
      ...(namespaces ? namespacePolicy(namespaces.tenancy, namespaces.allowed) : []),
      ...(podDnsAudit ? podDnsAuditPolicy(podDnsAudit) : []),
      ...(podDns ? podDnsPolicy(podDns) : []),
    ];
    this.policies = policies.map(({ kind, metadata, spec }) => this.add(kind, { metadata, spec }));
  }
}
