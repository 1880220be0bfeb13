import { Construct } from "constructs";
import type { Cluster } from "../model/cluster/cluster";
import { askedZone, publishedZone } from "../model/corefile/federation-zones";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { resolvedCluster } from "./component";

/**
 * The names of a federation, for what publishes a cluster's Services in it. It has no object of its own: `AuthoritativeDns` answers the
 * names, from the same `federation`.
 */
export class Federation extends Construct {
  /** The zone in which pods ask: `service.namespace` comes before it. */
  readonly askedZone: string;
  /** The zone in which the federation's servers are to answer for this cluster's Services, `service.namespace` before it. */
  readonly publishedZone: string;

  /**
   * @throws Error with everything that is wrong with the props; also without `federation`.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps | Cluster) {
    super(scope, id);
    const { domain, components } = resolvedCluster(this, props);
    const { federation } = components;
    if (!federation) throw new Error(`${this.node.path} has no federation; say federation`);
    this.askedZone = askedZone(federation, domain);
    this.publishedZone = publishedZone(federation);
  }
}
