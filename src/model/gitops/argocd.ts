import { kubectl } from "../command";
import { defaults } from "../defaults";
import type { FullGitOps } from "../full-props/fill-in";
import { namespace as dnsNamespace } from "../object-names";
import type { KubernetesObject } from "../kubernetes/object";
import type { Applier } from "./applier";
import { repositoryPath, type RenderedFolders } from "./rendered-folders";
import { deployment, numberForAutoscaled, replicasPath } from "./replicas";

const apiVersion = "argoproj.io/v1alpha1";

type FullArgoCd = NonNullable<FullGitOps["argocd"]>;

export function argoCd(options: FullArgoCd): Applier {
  const { namespace, folder, server } = options;
  const own = "argocd-application-controller";
  return {
    controller: { name: "Argo CD", namespace },
    folder,
    account:
      server === defaults.argocd.server
        ? { namespace, name: `${namespace}:${own}` }
        : {
            // What `argocd cluster add` makes in another cluster.
            name: "kube-system:argocd-manager",
            others: { name: own, what: `known only to its own cluster, not to ${server}` },
          },
    objects: (folders) => ({ "gitops/argocd": argoCdObjects(options, folders) }),
    show: (cluster) => [kubectl("get", "application", nameOf(cluster), "-n", namespace)],
    apply: (cluster, manifests) => `commit ${manifests}, and let Argo CD sync Application ${nameOf(cluster)}`,
    testAgain: (cluster) => `Argo CD creates both again at once: Application ${nameOf(cluster)}`,
    end: (cluster) => [
      "End Argo CD's application. What it applied stays, because it has no finalizer.",
      kubectl("delete", "application", nameOf(cluster), "--namespace", namespace),
      kubectl("delete", "appproject", nameOf(cluster), "--namespace", namespace),
    ],
  };
}

function nameOf(cluster: string): string {
  return `cluster-dns-${cluster}`;
}

/** A project that may apply what any component has, whether the cluster has it or had it, and the application. */
function argoCdObjects(
  { repoURL, targetRevision, folder, namespace, server }: FullArgoCd,
  { cluster, replicas, namespaces }: RenderedFolders,
): KubernetesObject[] {
  const metadata = { name: nameOf(cluster), namespace };
  const destination = { server, namespace: dnsNamespace };
  return [
    {
      apiVersion,
      kind: "AppProject",
      metadata,
      spec: {
        description: `DNS of cluster ${cluster}`,
        sourceRepos: [repoURL],
        destinations: namespaces.map((each) => ({ server, namespace: each })),
        clusterResourceWhitelist: [
          { group: "rbac.authorization.k8s.io", kind: "*" },
          { group: "admissionregistration.k8s.io", kind: "*" },
          { group: "flowcontrol.apiserver.k8s.io", kind: "*" },
        ],
      },
    },
    {
      apiVersion,
      kind: "Application",
      // Without a finalizer, deleting it deletes nothing else.
      metadata,
      spec: {
        project: metadata.name,
        source: {
          repoURL,
          targetRevision,
          path: repositoryPath(folder, cluster),
          // A commit that gives the number of pods to an autoscaler may reach Argo CD before the application that says so:
          // until then, this keeps the number.
          ...(replicas && { kustomize: { patches: [numberForAutoscaled(replicas)] } }),
        },
        destination,
        ...(replicas?.isAutoscaled ? { ignoreDifferences: [autoscaled] } : {}),
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          syncOptions: ["ServerSideApply=true", ...(replicas?.isAutoscaled ? ["RespectIgnoreDifferences=true"] : [])],
          // Without `refresh`, a commit that mends a broken one waits until all retries of the broken one are over.
          retry: { limit: -1, refresh: true, backoff: { duration: "5s", factor: 2, maxDuration: "1m" } },
        },
      },
    },
  ];
}

/** Argo CD applies the number of pods that is there. */
const autoscaled = { group: "apps", ...deployment, jsonPointers: [replicasPath] };
