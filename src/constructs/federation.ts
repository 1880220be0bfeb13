import { Construct } from "constructs";
import { askedZone, publishedZone } from "../model/corefile/federation";
import { type ComponentProps, resolvedCluster } from "./resolved-cluster";

/**
 * The names of a federation, for whatever publishes a cluster's Services in it. It adds no object: `AuthoritativeDns`
 * answers the names, from the same `federation`.
 */
export class Federation extends Construct {
  /** The zone that pods ask, prefixed with `service.namespace`. */
  readonly askedZone: string;
  /**
   * The zone in which the federation's servers should answer for this cluster's Services, prefixed with
   * `service.namespace`.
   */
  readonly publishedZone: string;

  /** @throws Error listing everything wrong with the props, or if there is no `federation`. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    const { said, components } = resolvedCluster(this, props);
    const { federation } = components;
    if (!federation) throw new Error(`${this.node.path} has no federation; set federation`);
    this.askedZone = askedZone(federation, said.clusterDomain);
    this.publishedZone = publishedZone(federation);
  }
}
