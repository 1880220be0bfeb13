import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { wave } from "../model/gitops";
import { nested, type TenancyProps } from "../model/spec/component-props";
import { externalNamePolicy } from "../model/tenancy/external-names";
import { extras } from "./api-object";
import { checkProps } from "./check-props";

/**
 * What tenants need beside the Corefile, which `AuthoritativeDns` renders from the same `tenancy`: with `isolation: hard` a policy that keeps
 * aliases from leading to other tenants' Services. The other isolations need no object.
 */
export class Tenancy extends Construct {
  /** The policy and its binding. */
  readonly policies: readonly ApiObject[];

  /**
   * @throws Error with everything that is wrong with the props; also without `isolation: hard`, which has nothing to construct.
   */
  constructor(scope: Construct, id: string, props: TenancyProps) {
    super(scope, id);
    checkProps(this, nested("authoritativeDNS", props));
    const { isolation = "open" } = props.tenancy;
    if (isolation !== "hard") {
      throw new Error(`${this.node.path} tenancy.isolation: ${isolation} has nothing to construct; accepted: hard`);
    }
    this.policies = externalNamePolicy(props).map(({ apiVersion, kind, metadata, spec }) => {
      const more = extras(props, { annotations: wave("access") });
      return new ApiObject(this, `${kind}-${metadata.name}`, {
        apiVersion,
        kind,
        metadata: { ...metadata, ...more },
        spec,
      });
    });
  }
}
