import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { wave } from "../model/gitops";
import type { ClusterFacts } from "../model/props/cluster-facts";
import { addObject, namespace } from "./api-object";

interface PortInfo {
  port: string;
  name: string;
  protocol: "UDP" | "TCP";
}

interface LocalRedirectPolicyProps {
  metadata: object;
  spec: {
    redirectFrontend: { serviceMatcher: { serviceName: string; namespace: string; toPorts: PortInfo[] } };
    redirectBackend: { localEndpointSelector: { matchLabels: { [label: string]: string } }; toPorts: PortInfo[] };
  };
}

// Both ports named at both ends, or Cilium joins UDP and TCP crosswise (cilium#16906).
const toPorts: PortInfo[] = [
  { port: "53", name: "dns", protocol: "UDP" },
  { port: "53", name: "dns-tcp", protocol: "TCP" },
];

/** CiliumLocalRedirectPolicy (cilium.io/v2): traffic to Service `kube-dns` goes to the cache pod of the same node. */
export class LocalRedirectPolicy extends Construct {
  readonly policy: ApiObject;

  constructor(scope: Construct, id: string, facts: ClusterFacts) {
    super(scope, id);
    this.policy = addObject<LocalRedirectPolicyProps>(this, facts, ["cilium.io/v2", "CiliumLocalRedirectPolicy"], {
      metadata: { name: "node-local-dns", namespace, annotations: wave("nodeAgents") },
      spec: {
        redirectFrontend: { serviceMatcher: { serviceName: "kube-dns", namespace, toPorts } },
        redirectBackend: { localEndpointSelector: { matchLabels: { "k8s-app": "node-local-dns" } }, toPorts },
      },
    });
  }
}
