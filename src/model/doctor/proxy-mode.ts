import type { Workload } from "../kubernetes/kinds";
import type { Finding } from "./finding";
import type { Described, Observed } from "./observed";

/** kube-proxy's mode, which decides where the cache listens and which rules lead to it. */
export function proxyMode({ kubeProxyModes, workloads }: Observed, described?: Described): Finding[] {
  if (!kubeProxyModes || !described) return [];
  const said = described.cluster.kubeProxyMode;
  const next = [
    "kubectl get configmap kube-proxy -n kube-system -o yaml",
    "curl -s http://127.0.0.1:10249/proxyMode  # on a node: kube-proxy's own answer",
  ];
  const where = "kube-proxy";
  if (kubeProxyModes.length === 0)
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
  // What replaces kube-proxy may leave its ConfigMap.
  if (said === "none" && workloads && !workloads.some(runsKubeProxy)) return [];
  return kubeProxyModes
    .filter(({ mode }) => mode !== said)
    .map(({ mode, source }) => ({
      severity: "error",
      title: "runs in another mode than described",
      where,
      evidence: [
        `${source} says ${mode}, the cluster file says kubeProxyMode: ${said}: rules for another mode do not fit the node`,
      ],
      next: [...next, `npx cdk8s-cluster-dns explain ${described.name}`],
    }));
}

function runsKubeProxy({ spec }: Workload): boolean {
  return spec.template.spec.containers.some(({ image = "" }) => /kube-proxy/.test(image));
}
