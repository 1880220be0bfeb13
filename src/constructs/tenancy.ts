import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { wave } from "../model/gitops";
import { nested, type TenancyProps } from "../model/props/component-props";
import { externalNamePolicy } from "../model/admission/policies/external-names";
import type { Member } from "../model/tenancy/membership";
import { searchList } from "../model/tenancy/pod-dns-config";
import { extras } from "./api-object";
import { checkProps } from "./check-props";

/**
 * What tenants need beside their names, which `AuthoritativeDns` answers from the same `tenancy`: the search list of their pods, and with
 * `isolation: hard` a policy that keeps aliases from leading to other tenants' Services.
 */
export class Tenancy extends Construct {
  /** The policy and its binding; none unless isolation is hard. */
  readonly policies: readonly ApiObject[];

  /**
   * @throws Error with everything that is wrong with the props.
   */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: TenancyProps,
  ) {
    super(scope, id);
    checkProps(this, nested("authoritativeDNS", props));
    const policies = props.tenancy.isolation === "hard" ? externalNamePolicy(props) : [];
    this.policies = policies.map(({ apiVersion, kind, metadata, spec }) => {
      const more = extras(props, { annotations: wave("access") });
      return new ApiObject(this, `${kind}-${metadata.name}`, {
        apiVersion,
        kind,
        metadata: { ...metadata, ...more },
        spec,
      });
    });
  }

  /** `dnsConfig.searches` of pods in a tenant's namespace; the webhook and the policies give it to them. */
  searchList(member: Member): string[] {
    const { tenancy, clusterDomain } = this.props;
    return searchList(tenancy.isolation, member, clusterDomain);
  }
}
