import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { policyObjects } from "../model/admission/policies/all";
import { tenantsData } from "../model/admission/policies/pod-dns";
import { names } from "../model/object-names";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";

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
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const tasks = this.needed(
      this.cluster.components.admissionPolicies,
      this.cluster.admission
        ? 'has no policies to construct: the webhook does all of admission; use Webhook in its place, or set kubernetesVersion: "1.30" or newer and leave out admission.enforcement'
        : "has no policies to construct; set admission",
    );
    // Before the policies that refer to it.
    const data = tasks.podDnsAudit && tenantsData(tasks.podDnsAudit.tenancy);
    if (data) this.tenants = this.add("ConfigMap", { metadata: { name: names.tenants }, data });
    this.policies = policyObjects(tasks).map(({ kind, metadata, spec }) => this.add(kind, { metadata, spec }));
  }
}
