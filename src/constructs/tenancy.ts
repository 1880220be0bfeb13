import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { externalNamePolicy } from "../model/admission/policies/external-names";
import type { Cluster } from "../model/cluster/cluster";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import type { Member } from "../model/tenancy/membership";
import { searchList } from "../model/tenancy/pod-dns-config";
import { Component } from "./component";

/**
 * What tenants need beside their names, which `AuthoritativeDns` answers from the same `tenancy`: the search list of their pods, and with
 * `isolation: hard` a policy that keeps aliases from leading to other tenants' Services.
 */
export class Tenancy extends Component {
  // Before CoreDNS tells names apart by tenant.
  protected readonly stage = "access";
  /** The policy and its binding; none unless isolation is hard. */
  readonly policies: readonly ApiObject[];

  /**
   * @throws Error with everything that is wrong with the props; also without `tenancy`.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps | Cluster) {
    super(scope, id, props);
    const { tenancy } = this.cluster.components;
    if (!tenancy) throw new Error(`${this.node.path} has no tenants; say tenancy.tenants`);
    const policies = tenancy.isolation === "hard" ? externalNamePolicy(this.cluster.domain) : [];
    this.policies = policies.map(({ kind, metadata, spec }) => this.add(kind, { metadata, spec }));
  }

  /** `dnsConfig.searches` of pods in a tenant's namespace; the webhook and the policies give it to them. */
  searchList(member: Member): string[] {
    const { components, domain } = this.cluster;
    return components.tenancy ? searchList(components.tenancy, member, domain) : [];
  }
}
