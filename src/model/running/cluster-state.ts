import type * as kinds from "../kubernetes/kinds";
import type { KubernetesObject } from "../kubernetes/object";
import type { Sample } from "../kubernetes/samples";
import type { LogFacts } from "./log-facts";

/** The objects that are read of a cluster, by the names of their lists. */
interface Listed {
  readonly nodes: kinds.Node;
  readonly namespaces: kinds.Namespace;
  /** Of all namespaces. */
  readonly pods: kinds.Pod;
  readonly services: kinds.Service;
  readonly configMaps: kinds.ConfigMap;
  readonly endpointSlices: kinds.EndpointSlice;
  readonly workloads: kinds.Workload;
  readonly jobs: kinds.Job;
  readonly leases: kinds.Lease;
  readonly networkPolicies: kinds.NetworkPolicy;
  readonly disruptionBudgets: kinds.DisruptionBudget;
  readonly webhooks: kinds.WebhookConfiguration;
  /** Warnings. */
  readonly events: kinds.Event;
}

/** Where the objects of a list are, and which they are. */
interface HowListed {
  readonly apiVersion: string;
  readonly kinds: readonly string[];
  /** `all`: those of no namespace, or of any; `dns`: those of `dnsNamespaces`; `ours`: those of kube-system. */
  readonly of: "all" | "dns" | "ours";
  readonly query?: string;
}

const admission = "admissionregistration.k8s.io/v1";

export const listed: { readonly [list in keyof Listed]: HowListed } = {
  nodes: { apiVersion: "v1", kinds: ["Node"], of: "all" },
  namespaces: { apiVersion: "v1", kinds: ["Namespace"], of: "all" },
  pods: { apiVersion: "v1", kinds: ["Pod"], of: "all" },
  services: { apiVersion: "v1", kinds: ["Service"], of: "dns" },
  configMaps: { apiVersion: "v1", kinds: ["ConfigMap"], of: "dns" },
  endpointSlices: { apiVersion: "discovery.k8s.io/v1", kinds: ["EndpointSlice"], of: "dns" },
  workloads: { apiVersion: "apps/v1", kinds: ["Deployment", "DaemonSet"], of: "dns" },
  jobs: { apiVersion: "batch/v1", kinds: ["Job"], of: "ours" },
  leases: { apiVersion: "coordination.k8s.io/v1", kinds: ["Lease"], of: "ours" },
  events: { apiVersion: "v1", kinds: ["Event"], of: "dns", query: "&fieldSelector=type=Warning" },
  networkPolicies: { apiVersion: "networking.k8s.io/v1", kinds: ["NetworkPolicy"], of: "dns" },
  disruptionBudgets: { apiVersion: "policy/v1", kinds: ["PodDisruptionBudget"], of: "dns" },
  webhooks: {
    apiVersion: admission,
    kinds: ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    of: "all",
  },
};

/** A list is undefined if it was not read; if it should have been, `unread` says why. */
export type Lists = { readonly [list in keyof Listed]: readonly Listed[list][] | undefined };

/** What was read of a cluster: with kubectl, through its proxy, or from a file. */
export interface ClusterState extends Lists {
  /** By the API server's clock. */
  readonly now: Date;
  /** `v1.37.1` */
  readonly serverVersion: string | undefined;
  /** Those of which all but nodes, namespaces, pods and webhooks were read: kube-system, and that of the cluster's own DNS. */
  readonly dnsNamespaces: readonly string[];
  /** Of kinds that stand nowhere above, as a file may have them: autoscalers, OpenShift's `DNS`. */
  readonly others: readonly KubernetesObject[];
  /** Those in the ConfigMaps; undefined if these were not read. */
  readonly proxyConfigurations: readonly ProxyConfiguration[] | undefined;
  /** Objects of further kinds that a description renders, by kind; without kinds that were not read. */
  readonly asked: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** By namespace and name, why a Service that webhooks call leads nowhere: undefined if it leads somewhere. */
  readonly called: ReadonlyMap<string, string | undefined>;
  /** By node, what is wrong with its kube-proxy: undefined if it says that its rules are up to date. */
  readonly kubeProxies: ReadonlyMap<string, string | undefined>;
  /** By node. */
  readonly kubelets: ReadonlyMap<string, KubeletDns>;
  /** By pod. */
  readonly metrics: ReadonlyMap<string, readonly Sample[]>;
  /** By some of CoreDNS's pods and of the caches, by how much counters of servers that they ask grew within two seconds. */
  readonly forwarded: ReadonlyMap<string, readonly Sample[]>;
  /** By pod, then what follows `kubectl logs -c`: `coredns`, `coredns --previous`. */
  readonly logs: ReadonlyMap<string, ReadonlyMap<string, LogFacts>>;
  readonly unread: readonly Unread[];
}

/** A mode of kube-proxy, and where it stands. */
export interface ProxyEvidence {
  readonly mode: string;
  /** `ConfigMap kube-proxy (config.conf)` */
  readonly source: string;
}

export interface ProxyConfiguration extends ProxyEvidence {
  readonly configMap: string;
}

/** What a kubelet writes into resolv.conf of pods. */
export interface KubeletDns {
  readonly clusterDNS?: readonly string[];
  readonly clusterDomain?: string;
}

export interface Unread {
  /** `the kubelet's configuration of node-1` */
  readonly what: string;
  readonly why: string;
  /** The API server's path. */
  readonly path: string;
  /** Of its answer, if there was one. */
  readonly status?: number;
  /** What was asked for: a list, by the last word of its path, or a page. */
  readonly resource?: string;
  readonly page?: Page;
  /** False of a page like which none answered. */
  readonly wasAsked?: false;
}

/** A page that says more about one node or pod; all are read through the API server. */
export interface Page {
  readonly kind: "kubelet" | "kube-proxy" | "metrics" | "log";
  /** The node or the pod. */
  readonly name: string;
  /** That node, or the pod's. */
  readonly node: string | undefined;
  readonly container: string;
  readonly what: string;
  readonly path: string;
  /** Of a log, if it is not of the current run. */
  readonly run?: "previous";
  /** Of a pod's metrics. */
  readonly port?: number;
}

/** What DNS is read from, in no order. */
export function objectsIn(state: ClusterState): KubernetesObject[] {
  const { services = [], configMaps = [], workloads = [], nodes = [], disruptionBudgets = [], others } = state;
  return [...workloads, ...services, ...configMaps, ...nodes, ...disruptionBudgets, ...others];
}

/** A state that has these objects, and nothing else of the cluster. A kind of which there is none counts as not read. */
export function stateOf(
  objects: readonly KubernetesObject[],
  proxyConfigurations: readonly ProxyConfiguration[],
): ClusterState {
  const lists = Object.fromEntries(
    Object.entries(listed).map(([list, { kinds }]) => {
      const found = objects.filter(({ kind }) => kinds.includes(kind));
      return [list, found.length > 0 ? found : undefined];
    }),
  ) as object as Lists;
  const known = Object.values(listed).flatMap(({ kinds }) => kinds);
  return {
    ...lists,
    now: new Date(),
    serverVersion: undefined,
    dnsNamespaces: [...new Set(objects.flatMap(({ metadata: { namespace } }) => namespace ?? []))],
    others: objects.filter(({ kind }) => !known.includes(kind)),
    proxyConfigurations: lists.configMaps && proxyConfigurations,
    asked: new Map(),
    called: new Map(),
    kubeProxies: new Map(),
    kubelets: new Map(),
    metrics: new Map(),
    forwarded: new Map(),
    logs: new Map(),
    unread: [],
  };
}
