import type { NetworkPolicy } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { selectsPods } from "../kubernetes/selectors";
import { authoritativeLabels, names, namespace } from "../object-names";
import { type Described, type Observed, rendered, sameName } from "./observed";
import { isDnsService } from "./services";

/** What a node's way to the cluster DNS depends on, and how to look at each part of it. */
export function towardClusterDns(
  nodes: readonly string[],
  { networkPolicies = [], services = [] }: Observed,
  described?: Described,
): { evidence: string[]; next: string[] } {
  const ours = rendered<NetworkPolicy>(described, "NetworkPolicy");
  const others = networkPolicies.filter(
    (policy) => selectsPods(policy.spec.podSelector, authoritativeLabels) && !sameName(ours, policy),
  );
  const service = services.find(isDnsService)?.metadata.name ?? names.dnsService;
  const hasKubeProxy = described?.cluster.kubeProxyMode !== "none";
  return {
    evidence: others.map(
      (policy) =>
        `NetworkPolicy ${namespacedName(policy)} selects pods of the cluster DNS, and is not of the cluster file: caches and watchdogs ask from their node's address, which a rule for pods does not let in`,
    ),
    next: [
      `kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${service} -o wide`,
      ...(hasKubeProxy
        ? nodes.map(
            (node) =>
              `kubectl get --raw /api/v1/nodes/http:${node}:10256/proxy/healthz  # its kube-proxy: an error or silence means old rules for the Service, restart it`,
          )
        : []),
      ...(others.length > 0
        ? others.map(({ metadata: { name } }) => `kubectl get networkpolicy ${name} -n ${namespace} -o yaml`)
        : [`kubectl get networkpolicies -n ${namespace}`]),
      `# on ${nodes.join(", ") || "the node"}, and on those of the endpoints: sysctl net.ipv4.ip_forward is 1? ip route has the other nodes' pods? firewalls?`,
    ],
  };
}
