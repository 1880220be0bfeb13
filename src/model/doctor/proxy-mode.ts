import { findProxy, otherProxyMode } from "../running/find-proxy";
import type { Finding } from "./finding";
import type { Described, Observed } from "./observed";

/** kube-proxy's mode, which decides where the cache listens and which rules lead to it. */
export function proxyMode(observed: Observed, described?: Described): Finding[] {
  if (!observed.proxyConfigurations || !described) return [];
  const said = described.cluster.kubeProxyMode;
  const proxy = findProxy(observed);
  const next = [
    "kubectl get configmap kube-proxy -n kube-system -o yaml",
    "curl -s http://127.0.0.1:10249/proxyMode  # on a node: kube-proxy's own answer",
  ];
  const where = "kube-proxy";
  if (proxy.evidence.length === 0)
    return said === "none"
      ? []
      : [
          {
            severity: "info",
            title: "its mode cannot be read",
            where,
            evidence: [
              `no ConfigMap of kube-system has its configuration, and it tells its mode only to its own node; the cluster file says ${said}`,
            ],
            next: next.slice(1),
          },
        ];
  const { evidence = [], isCertain } = otherProxyMode(proxy, said) ?? {};
  return evidence.map(({ mode, source }) => ({
    severity: isCertain ? "error" : "warning",
    title: "runs in another mode than described",
    where,
    evidence: [
      `${source} says ${mode}, the cluster file says kubeProxyMode: ${said}: rules for another mode do not fit the node`,
    ],
    next: [...next, `npx cdk8s-cluster-dns explain ${described.name}`],
  }));
}
