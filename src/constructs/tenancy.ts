import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { wave } from "../model/gitops";
import { nested, type TenancyProps } from "../model/spec/component-props";
import { externalNamePolicy } from "../model/tenancy/external-names";
import type { Member } from "../model/tenancy/membership";
import { podDnsConfig, type PodDnsConfig } from "../model/tenancy/pod-dns-config";
import { extras } from "./api-object";
import { checkProps } from "./check-props";

/**
 * What tenants need beside their names, which `AuthoritativeDns` answers from the same `tenancy`: the DNS configuration of their pods, and with
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

  /** What a pod in a tenant's namespace must have beside `dnsPolicy: None`; the webhook and the policies give it. */
  podDnsConfig(member: Member): PodDnsConfig {
    return podDnsConfig(this.props, member);
  }
}
