import { inDocs } from "../docs";
import { isMapping } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";

interface Words {
  readonly [word: string]: string;
}

/** Words of Kubernetes, CoreDNS, its chart, kubeadm and k3s at the top of a file, in lower case: what to write here. */
const atTop: Words = {
  ...each("apiversion kind metadata spec", "put the keys of a cluster at the top: a cluster file is no object"),
  ...each("name cluster clustername", "a cluster is named by its file, NAME.yaml"),
  namespace: "the cluster's DNS is in kube-system",
  ...each("mode kubeproxy proxymode", meant("kubeProxyMode")),
  ...each("forward forwarders upstream upstreams dnsservers", meant("upstreamNameservers")),
  hosts: meant("hostAliases"),
  ...each("dns coredns kubedns", meant("authoritativeDNS")),
  ...each("nodecache nodelocaldnscache", meant("nodeLocalDNS")),
  ...each("logging logs", meant("queryLog")),
  ...each("metrics prometheus", meant("monitoring")),
  version: meant("kubernetesVersion"),
  cilium: "write cni: cilium",
  ...each("nodeselector tolerations", "write it into nodePlacement of authoritativeDNS or nodeLocalDNS"),
};

const pods = `no key sets it: ${inDocs("pod-fields")} says how to`;

/** The same, in any mapping. */
const anywhere: Words = {
  ...each("affinity priorityclassname imagepullsecrets env envfrom volumes volumemounts", pods),
  ...each("securitycontext topologyspreadconstraints initcontainers sidecars dnspolicy", pods),
  minreplicas: meant("authoritativeDNS.autoscaler.min"),
  maxreplicas: meant("authoritativeDNS.autoscaler.max"),
  ...each("targetcpuutilizationpercentage targetcpuutilization", meant("authoritativeDNS.autoscaler.cpuUtilization")),
  tls: "write upstreamTLSServerName, or tlsServerName of a zone: the name in the servers' certificate",
};

const records: Words = each("a aaaa cname mx srv txt ptr", 'write it into records, such as {"@": {A: [10.1.2.3]}}');

/** Values of a key; `{}`: a mapping. */
const values: { readonly [key: string]: Words } = {
  kubeProxyMode: {
    ...each("cilium ebpf", "write none, and cni: cilium"),
    ...each("ovnkubernetes ovn-kubernetes calico kube-router", "without kube-proxy, write none"),
  },
  cni: each(
    "calico flannel canal weave antrea kube-router ovnkubernetes ovn-kubernetes kindnet aws-vpc-cni",
    "write other: it is every network plugin but Cilium",
  ),
  mode: { hpa: "write horizontal" },
  protocol: { tls: anywhere["tls"] ?? "" },
  watchdog: { "{}": "its times are in watchdogThresholds" },
};

/** What to write for a word that others use, at a path: in place of a key, or of its value. */
export function usualWord(path: Problem["path"], value?: unknown): string | undefined {
  const key = String(path.at(-1));
  const of = (words: Words | undefined, word: string) => new Map(Object.entries(words ?? {})).get(word.toLowerCase());
  if (value !== undefined) return of(new Map(Object.entries(values)).get(key), isMapping(value) ? "{}" : String(value));
  if (path.length === 1) return of(atTop, key) ?? of(anywhere, key);
  return of(anywhere, key) ?? (path[0] === "zones" ? of(records, key) : undefined);
}

function each(words: string, text: string): Words {
  return Object.fromEntries(words.split(" ").map((word) => [word, text]));
}

function meant(key: string): string {
  return `did you mean ${key}?`;
}
