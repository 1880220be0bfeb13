import { inDocs } from "../docs";
import { isMapping } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";

/** Words of Kubernetes, CoreDNS, its chart, kubeadm and k3s at the top of a file, in lower case: what to write here. */
const atTop = table({
  "apiversion kind metadata spec": "put the keys of a cluster at the top: a cluster file is no object",
  "name cluster clustername": "a cluster is named by its file, NAME.yaml",
  namespace: "the cluster's DNS is in kube-system",
  "mode kubeproxy proxymode": "did you mean kubeProxyMode?",
  "forward forwarders upstream upstreams dnsservers": "did you mean upstreamNameservers?",
  hosts: "did you mean hostAliases?",
  "dns coredns kubedns": "did you mean authoritativeDNS?",
  "nodecache nodelocaldnscache": "did you mean nodeLocalDNS?",
  "logging logs": "did you mean queryLog?",
  "metrics prometheus": "did you mean monitoring?",
  version: "did you mean kubernetesVersion?",
  cilium: "write cni: cilium",
  "nodeselector tolerations": "write it into nodePlacement of authoritativeDNS or nodeLocalDNS",
});

const overTLS = "write upstreamTLSServerName, or tlsServerName of a zone: the name in the servers' certificate";

/** The same, in any mapping. */
const anywhere = table({
  "affinity priorityclassname imagepullsecrets env envfrom volumes volumemounts securitycontext initcontainers dnspolicy topologyspreadconstraints": `no key sets it: ${inDocs("pod-fields")} says how to`,
  minreplicas: "did you mean authoritativeDNS.autoscaler.min?",
  maxreplicas: "did you mean authoritativeDNS.autoscaler.max?",
  targetcpuutilizationpercentage: "did you mean authoritativeDNS.autoscaler.cpuUtilization?",
  tls: overTLS,
});

const inZones = table({ "a aaaa cname mx srv txt ptr": 'write it into records, such as {"@": {A: [10.1.2.3]}}' });

/** Values, each after its key; `{}`: a mapping. */
const values = table({
  "kubeProxyMode:cilium kubeProxyMode:ebpf": "write none, and cni: cilium",
  "kubeProxyMode:ovnkubernetes kubeProxyMode:ovn-kubernetes kubeProxyMode:kube-router":
    "without kube-proxy, write none",
  "cni:calico cni:flannel cni:canal cni:weave cni:antrea cni:kube-router cni:ovnkubernetes cni:ovn-kubernetes cni:aws":
    "write other: it is every network plugin but Cilium",
  "mode:hpa": "write horizontal",
  "protocol:tls": overTLS,
  "watchdog:{}": "its times are in watchdogThresholds",
});

/** What to write for a word that others use, at a path: in place of a key, or of its value. */
export function usualWord(path: Problem["path"], value?: unknown): string | undefined {
  const key = String(path.at(-1));
  const word = key.toLowerCase();
  if (value !== undefined) return values.get(`${key}:${isMapping(value) ? "{}" : String(value).toLowerCase()}`);
  const nearest = path.length === 1 ? atTop : path[0] === "zones" ? inZones : undefined;
  return nearest?.get(word) ?? anywhere.get(word);
}

function table(rows: { readonly [words: string]: string }): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(rows).flatMap(([words, text]) => words.split(" ").map((word) => [word, text] as const)),
  );
}
