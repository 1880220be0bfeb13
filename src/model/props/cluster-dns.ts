import type { AdmissionOptions } from "./admission";
import type { AuthoritativeDnsOptions } from "./authoritative-dns";
import type { ClusterFacts } from "./cluster-facts";
import type { NodeLocalDnsOptions } from "./node-local-dns";
import type { NodeResolverOptions } from "./node-resolver";

/** The whole DNS of a cluster: what a file `clusters/NAME.yaml` holds, and the props of `ClusterDns`. */
export interface ClusterDnsProps extends ClusterFacts {
  /**
   * The server of the cluster domain.
   * @default - CoreDNS as a Deployment of two pods
   */
  readonly authoritativeDNS?: AuthoritativeDnsOptions;

  /**
   * The cache on every node.
   * @default - see `state`
   */
  readonly nodeLocalDNS?: NodeLocalDnsOptions;

  /**
   * Addresses of Services in the hosts file of every node.
   * @default - none
   */
  readonly nodeResolver?: NodeResolverOptions;

  /**
   * What is set and refused at admission: the DNS configuration of tenants' pods, the names of namespaces, changes of
   * Corefiles and DNS Services, placements that match no node.
   * @default - none
   */
  readonly admission?: AdmissionOptions;
}
