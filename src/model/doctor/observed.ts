import type { Cluster } from "../cluster/cluster";
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
import type { Metadata } from "../kubernetes/object";
import type { Sample } from "../kubernetes/samples";
import { namespace } from "../object-names";
import type { ComponentObjects } from "../preflight/workloads";

/** What was read of a cluster. A list is undefined if it could not be read, which `unread` explains. */
export interface Observed {
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
  readonly workloads: readonly Workload[] | undefined;
  readonly jobs: readonly Job[] | undefined;
  /** Warnings; read only if a Job of the smoke test failed without a report. */
  readonly events: readonly Event[] | undefined;
  readonly networkPolicies: readonly NetworkPolicy[] | undefined;
  readonly webhooks: readonly WebhookConfiguration[] | undefined;
  /** Each mode in a ConfigMap of kube-proxy, and where; undefined if ConfigMaps could not be read. */
  readonly kubeProxyModes: readonly { readonly mode: string; readonly source: string }[] | undefined;
  /** By node. */
  readonly kubelets: ReadonlyMap<string, KubeletDns>;
  /** By pod. */
  readonly metrics: ReadonlyMap<string, readonly Sample[]>;
  /** By pod, then what follows `kubectl logs -c`: `coredns`, `coredns --previous`. */
  readonly logs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly unread: readonly Unread[];
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

/** What the cluster should be: its file, resolved and rendered. */
export interface Described {
  readonly name: string;
  readonly cluster: Cluster;
  readonly components: readonly ComponentObjects[];
  /** The folder of the cluster files, as a word of a shell; undefined if it is the usual one. */
  readonly clusters?: string | undefined;
  /** The folder of the rendered manifests, as a word of a shell. */
  readonly folder: string;
}

/** What a cluster file renders of these kinds. */
export function rendered<T>(described: Described | undefined, ...kinds: readonly string[]): T[] {
  const objects = (described?.components ?? []).flatMap(
    (component) => component.objects as readonly { kind: string }[],
  );
  return objects.filter(({ kind }) => kinds.includes(kind)) as T[];
}

/** The object of the same name in kube-system. */
export function sameName<T extends { readonly metadata: Metadata }>(
  all: readonly T[],
  { metadata }: { readonly metadata: Metadata },
): T | undefined {
  return all.find((each) => each.metadata.name === metadata.name && inOurNamespace(each));
}

/** The cluster's pods of kube-system. */
export function systemPods({ pods = [] }: Observed): readonly Pod[] {
  return pods.filter(inOurNamespace);
}

export function inOurNamespace({ metadata }: { readonly metadata: Metadata }): boolean {
  return (metadata.namespace ?? namespace) === namespace;
}

/** Renders the manifests, which may be older than the cluster file, shows what they change, and, last, applies them. */
export function applying({ name, cluster: { gitops }, clusters, folder }: Described): string[] {
  const from = clusters === undefined ? "" : ` --clusters ${clusters}`;
  const to = folder === "dist" ? "" : ` --out ${folder}`;
  const manifests = `${folder}/${name}`;
  return [
    `npx cdk8s-cluster-dns synth${from}${to} ${name}`,
    `npx cdk8s-cluster-dns diff --live${from} ${name}`,
    // What the controller applies is not to be taken from it by a forced apply.
    gitops?.argocd
      ? `# commit ${manifests}, and let Argo CD sync Application cluster-dns-${name}`
      : gitops?.flux
        ? `# commit ${manifests}, and let Flux reconcile its Kustomizations`
        : `kubectl apply --server-side --force-conflicts -k ${manifests}`,
  ];
}
