import { Construct } from "constructs";
import { askedZone, publishedZone } from "../model/federation-zones";
import { nested, type FederationProps } from "../model/props/component-props";
import { checkProps } from "./check-props";

/**
 * The names of a federation, for what publishes a cluster's Services in it. It has no object of its own: `AuthoritativeDns` answers the
 * names, from the same `federation`.
 */
export class Federation extends Construct {
  /** Zone in which pods ask: `service.namespace` stands before it. */
  readonly askedZone: string;
  /** Zone of the federation's domain in which its servers are to answer for this cluster's Services, `service.namespace` before it. */
  readonly publishedZone: string;

  /**
   * @throws Error with everything that is wrong with the props.
   */
  constructor(scope: Construct, id: string, props: FederationProps) {
    super(scope, id);
    checkProps(this, nested("authoritativeDNS", props));
    this.askedZone = askedZone(props.federation, props.clusterDomain);
    this.publishedZone = publishedZone(props.federation);
  }
}
