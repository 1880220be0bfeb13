import type { FullGitOps } from "../full-props/fill-in";
import { namespace as dnsNamespace } from "../object-names";
import type { KubernetesObject } from "../kubernetes/object";
import { repositoryPath, type RenderedFolders } from "./rendered-folders";
import { deployment, numberForAutoscaled, replicasPath } from "./replicas";

const apiVersion = "argoproj.io/v1alpha1";

/** A project that may apply what any component has, whether the cluster has it or had it, and the application. */
export function argoCdObjects(
  { repoURL, targetRevision, folder, namespace, server }: NonNullable<FullGitOps["argocd"]>,
  { cluster, replicas, namespaces }: RenderedFolders,
): KubernetesObject[] {
  const metadata = { name: `cluster-dns-${cluster}`, namespace };
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
