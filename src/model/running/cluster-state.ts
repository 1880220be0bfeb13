import type {
  ConfigMap,
  EndpointSlice,
  Event,
  Job,
  Namespace,
  NetworkPolicy,
  Node,
  Pod,
  Service,
  WebhookConfiguration,
  Workload,
} from "../kubernetes/kinds";
import type { KubernetesObject } from "../kubernetes/object";
import type { Sample } from "../kubernetes/samples";

/**
 * What was read of a cluster: with kubectl, through its proxy, or from a file. A list is undefined if it was not read;
 * if it should have been, `unread` says why.
 */
export interface ClusterState {
  readonly now: Date;
  /** `v1.37.1` */
  readonly serverVersion: string | undefined;
  readonly nodes: readonly Node[] | undefined;
  readonly namespaces: readonly Namespace[] | undefined;
  /** Of all namespaces. */
  readonly pods: readonly Pod[] | undefined;
  /** These six of kube-system. */
  readonly services: readonly Service[] | undefined;
  readonly endpointSlices: readonly EndpointSlice[] | undefined;
  readonly configMaps: readonly ConfigMap[] | undefined;
  /** Deployments and DaemonSets. */
  readonly workloads: readonly Workload[] | undefined;
  readonly jobs: readonly Job[] | undefined;
  readonly networkPolicies: readonly NetworkPolicy[] | undefined;
  /** Warnings; read only if a Job of the smoke test failed without a report. */
  readonly events: readonly Event[] | undefined;
  readonly webhooks: readonly WebhookConfiguration[] | undefined;
  /** Of kinds that stand nowhere above, as a file may have them: disruption budgets, autoscalers, OpenShift's `DNS`. */
  readonly others: readonly KubernetesObject[];
  /** Those in the ConfigMaps; undefined if these were not read. */
  readonly proxyConfigurations: readonly ProxyConfiguration[] | undefined;
  /** By node. */
  readonly kubelets: ReadonlyMap<string, KubeletDns>;
  /** By pod. */
  readonly metrics: ReadonlyMap<string, readonly Sample[]>;
  /** By pod, then what follows `kubectl logs -c`: `coredns`, `coredns --previous`. */
  readonly logs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly unread: readonly Unread[];
}

/** A mode of kube-proxy, and where it stands. */
export interface ProxyEvidence {
  readonly mode: string;
  /** `ConfigMap kube-proxy (config.conf)` */
  readonly source: string;
}

/** What a KubeProxyConfiguration says. */
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
}

/** What DNS is read from, in no order. */
export function objectsIn(state: ClusterState): KubernetesObject[] {
  const { services = [], configMaps = [], workloads = [], nodes = [], others } = state;
  return [...workloads, ...services, ...configMaps, ...nodes, ...others];
}

/** A state that has these objects, and nothing else of the cluster. A kind of which there is none counts as not read. */
export function stateOf(
  objects: readonly KubernetesObject[],
  proxyConfigurations: readonly ProxyConfiguration[],
): ClusterState {
  const known = new Set<string>();
  const list = <T extends KubernetesObject>(...kinds: readonly string[]): readonly T[] | undefined => {
    for (const kind of kinds) known.add(kind);
    const found = objects.filter(({ kind }) => kinds.includes(kind)) as readonly KubernetesObject[] as readonly T[];
    return found.length > 0 ? found : undefined;
  };
  const lists = {
    nodes: list<Node>("Node"),
    namespaces: list<Namespace>("Namespace"),
    pods: list<Pod>("Pod"),
    services: list<Service>("Service"),
    endpointSlices: list<EndpointSlice>("EndpointSlice"),
    configMaps: list<ConfigMap>("ConfigMap"),
    workloads: list<Workload>("Deployment", "DaemonSet"),
    jobs: list<Job>("Job"),
    networkPolicies: list<NetworkPolicy>("NetworkPolicy"),
    events: list<Event>("Event"),
    webhooks: list<WebhookConfiguration>("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
  };
  return {
    ...lists,
    now: new Date(),
    serverVersion: undefined,
    others: objects.filter(({ kind }) => !known.has(kind)),
    proxyConfigurations: lists.configMaps && proxyConfigurations,
    kubelets: new Map(),
    metrics: new Map(),
    logs: new Map(),
    unread: [],
  };
}
