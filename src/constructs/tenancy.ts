import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { externalNamePolicy } from "../model/admission/policies/external-names";
import type { Member } from "../model/tenancy/membership";
import { searchList } from "../model/tenancy/pod-dns-config";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";

/**
 * What tenants need beyond their names, which `AuthoritativeDns` answers from the same `tenancy`: the search list of
 * their pods and, with `isolation: hard`, a policy against aliases for other tenants' Services.
 */
export class Tenancy extends Component {
  // Before CoreDNS starts to separate names by tenant.
  protected readonly stage = "access";
  /** The policy and its binding; none unless isolation is hard. */
  readonly policies: readonly ApiObject[];

  /** @throws Error listing everything wrong with the props, or if there is no `tenancy`. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const tenancy = this.needed(this.cluster.components.tenancy, "has no tenants; set tenancy.tenants");
    const policies = tenancy.isolation === "hard" ? externalNamePolicy(this.cluster.said.clusterDomain) : [];
    this.policies = policies.map(({ kind, metadata, spec }) => this.add(kind, { metadata, spec }));
  }

  /** `dnsConfig.searches` for pods in a tenant's namespace; the webhook and the policies set it for you. */
  searchList(member: Member): string[] {
    const { components, said } = this.cluster;
    return components.tenancy ? searchList(components.tenancy, member, said.clusterDomain) : [];
  }
}
