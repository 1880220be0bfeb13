import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { names } from "../model/object-names";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";

/** CiliumLocalRedirectPolicy (cilium.io/v2): sends traffic for the DNS Service to the cache pod on the same node. */
export class LocalRedirectPolicy extends Component {
  protected readonly stage = "nodeAgents";
  /** The CiliumLocalRedirectPolicy. */
  readonly policy: ApiObject;

  /** @throws Error with everything that is wrong with the props, or if the cluster does not have Cilium. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    if (this.cluster.queryPath?.interception !== "local-redirect")
      throw new Error(`${this.node.path} has nothing to redirect: only Cilium does it; accepted: cni: cilium`);
    const { namespace, name: serviceName, portNames } = this.cluster.said.authoritativeDNS.service;
    // Name both ports at both ends, or Cilium joins UDP and TCP crosswise (cilium#16906).
    const toPorts = [
      { port: "53", name: portNames.udp, protocol: "UDP" },
      { port: "53", name: portNames.tcp, protocol: "TCP" },
    ];
    this.policy = this.add("CiliumLocalRedirectPolicy", {
      metadata: { name: names.nodeLocalDns },
      spec: {
        redirectFrontend: { serviceMatcher: { serviceName, namespace, toPorts } },
        redirectBackend: { localEndpointSelector: { matchLabels: { "k8s-app": names.nodeLocalDns } }, toPorts },
      },
    });
  }
}
