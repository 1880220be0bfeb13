import { clusterDns, type ShellCommand } from "../command";
import { type DnsService, usualDnsService } from "../dns-service";
import type { Cluster } from "../cluster/cluster";
import { applierOf } from "../gitops/objects";
import type { Pod } from "../kubernetes/kinds";
import type { ComponentObjects, KubernetesObject } from "../kubernetes/object";
import { selects } from "../kubernetes/selectors";
import { namespace } from "../object-names";
import { type ClusterState, listed, type Lists } from "../running/cluster-state";
import { keysIn } from "../syntax/mapping";
import { asking, type Suggestion } from "./suggestions";

/** What the cluster should be: its file, resolved and rendered. */
export interface Described {
  readonly name: string;
  readonly cluster: Cluster;
  readonly components: readonly ComponentObjects[];
  /** The folder of the cluster files; undefined if it is the usual one. */
  readonly clusters?: string | undefined;
  /** The folder of the rendered manifests. */
  readonly folder: string;
}

/** All that a cluster file renders; a Deployment whose size is its autoscaler's with the least of it. */
export function renderedObjects({ components, cluster }: Described): KubernetesObject[] {
  const { min } = cluster.components.authoritativeDns?.autoscaler ?? {};
  return components
    .flatMap(({ objects }) => objects)
    .map((each) =>
      each.kind === "Deployment" && min !== undefined && each.spec?.["replicas"] === undefined
        ? { ...each, spec: { ...each.spec, replicas: min } }
        : each,
    );
}

/** What a cluster file renders of these kinds. */
export function rendered<T extends KubernetesObject>(
  described: Described | undefined,
  ...kinds: readonly string[]
): T[] {
  return (described ? renderedObjects(described) : []).filter(({ kind }) => kinds.includes(kind)) as T[];
}

/** What a cluster should have of them. */
export function comparedObjects(described: Described): KubernetesObject[] {
  return renderedObjects(described).filter(isCompared);
}

/**
 * Whether an object is compared with that of the cluster. Secrets are never read. A Job may be gone after its time to
 * live; `smokeTest` judges it. Other namespaces, where a dashboard may be, are not read.
 */
export function isCompared(object: KubernetesObject): boolean {
  return inOurNamespace(object) && object.kind !== "Secret" && object.kind !== "Job";
}

/** Objects that are compared and in no list: each is read by its name, as a cluster may have hundreds of a kind. */
export function objectsToAsk(described: Described | undefined): KubernetesObject[] {
  return described ? comparedObjects(described).filter(({ kind }) => listOf(kind) === undefined) : [];
}

/** The cluster's objects of a kind; undefined if they were not read. */
export function running(state: ClusterState, kind: string): readonly KubernetesObject[] | undefined {
  const list = listOf(kind);
  const all: readonly KubernetesObject[] | undefined = list ? state[list] : state.asked.get(kind);
  return all?.filter((each) => each.kind === kind);
}

function listOf(kind: string): keyof Lists | undefined {
  return keysIn(listed).find((list) => listed[list].kinds.includes(kind));
}

/** The pods of kube-system, and of the namespace of the cluster's own DNS. */
export function systemPods({ pods = [], dnsNamespaces }: Pick<ClusterState, "pods" | "dnsNamespaces">): readonly Pod[] {
  return pods.filter(({ metadata }) => dnsNamespaces.includes(metadata.namespace ?? namespace));
}

/** What pods ask, or, without a cluster file, the usual one. */
export function dnsServiceOf(cluster: Cluster | undefined): DnsService {
  return cluster?.said.authoritativeDNS.service ?? usualDnsService;
}

/** Whether a pod is behind the DNS Service. */
export function isBehind(cluster: Cluster | undefined): (pod: Pick<Pod, "metadata">) => boolean {
  const { namespace: of, selector } = dnsServiceOf(cluster);
  return ({ metadata }) => (metadata.namespace ?? namespace) === of && selects(selector, metadata);
}

export function inOurNamespace({ metadata }: Pick<KubernetesObject, "metadata">): boolean {
  return (metadata.namespace ?? namespace) === namespace;
}

/** Renders the manifests, which may be older than the cluster file, shows what they change, and, last, applies them. */
export function applying({ name, cluster: { said }, clusters, folder }: Described): Suggestion[] {
  const from = clusters === undefined ? [] : ["--clusters", clusters];
  const to = folder === "dist" ? [] : ["--out", folder];
  const applier = applierOf(said.gitops);
  return [
    clusterDns("synth", ...from, ...to, name),
    asking("diff", "--live", ...from, name),
    ...applier.show(name),
    // What a controller applies is not to be taken from it by a forced apply.
    applier.apply(name, `${folder}/${name}`),
  ];
}

/** Shows what kubelets are to be told. */
export function kubeletFile({ folder, name }: Described): ShellCommand {
  return { program: "cat", args: [`${folder}/${name}/kubelet/50-cluster-dns.conf`] };
}
