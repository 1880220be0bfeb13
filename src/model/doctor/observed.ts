import type { Cluster } from "../cluster/cluster";
import type { Pod } from "../kubernetes/kinds";
import type { Metadata } from "../kubernetes/object";
import { namespace } from "../object-names";
import type { ComponentObjects } from "../preflight/workloads";
import type { ClusterState } from "../running/cluster-state";

export type { ClusterState as Observed, KubeletDns, Unread } from "../running/cluster-state";

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
export function systemPods({ pods = [] }: ClusterState): readonly Pod[] {
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
