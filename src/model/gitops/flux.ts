import { defaults, withDefaults } from "../defaults";
import type { FluxOptions, FluxSource } from "../props/gitops";
import { repositoryPath, type GitOpsObject, type RenderedFolders } from "./rendered-folders";

const apiVersion = "kustomize.toolkit.fluxcd.io/v1";
const prefix = "cluster-dns";

/** Where these objects are written, below the cluster's folder. */
export const fluxFolder = "gitops/flux";

/** A failed apply is tried again soon, and a health check ends before the next commit has waited for long. */
const times = { interval: "10m", retryInterval: "30s", timeout: "3m" } as const;

/** Whatever happens to its Kustomization, such as a move to another namespace: CoreDNS stays. */
const deletion: { readonly [component: string]: object } = { "authoritative-dns": { deletionPolicy: "Orphan" } };

/**
 * A Kustomization for each component, which waits for the health of the one before, and one for these: when a component
 * leaves the output, it prunes that component's Kustomization, whose end prunes the objects.
 */
export function fluxObjects(options: FluxOptions, { cluster, components }: RenderedFolders): GitOpsObject[] {
  const { source: givenSource, folder, namespace } = withDefaults(options, defaults.flux);
  const source = withDefaults(givenSource, defaults.fluxSource);
  const kustomization = (name: string, part: string, more: object): GitOpsObject => ({
    apiVersion,
    kind: "Kustomization",
    metadata: { name, namespace },
    spec: {
      ...times,
      ...more,
      path: `./${repositoryPath(folder, cluster, part)}`,
      prune: true,
      sourceRef: { kind: source.kind, name: source.name },
    },
  });
  const nameOf = (component: string) => `${prefix}-${component}`;
  return [
    ...sourceObjects(source, namespace),
    // Whoever deletes it keeps DNS.
    kustomization(prefix, fluxFolder, { deletionPolicy: "Orphan" }),
    ...components.map((component, i) => {
      const previous = components[i - 1];
      const after = previous === undefined ? {} : { dependsOn: [{ name: nameOf(previous) }] };
      return kustomization(nameOf(component), component, { ...after, wait: true, ...deletion[component] });
    }),
  ];
}

function sourceObjects(
  { kind, name, url, ref, secretRef }: FluxSource & { readonly kind: string; readonly name: string },
  namespace: string,
): GitOpsObject[] {
  if (url === undefined) return [];
  const reference = kind === "OCIRepository" ? { tag: ref ?? "latest" } : { branch: ref ?? "main" };
  const secret = secretRef === undefined ? {} : { secretRef: { name: secretRef } };
  return [
    {
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind,
      // Without `url`, it is somebody else's from then on.
      metadata: { name, namespace, annotations: { "kustomize.toolkit.fluxcd.io/prune": "disabled" } },
      spec: { interval: "1m", url, ref: reference, ...secret },
    },
  ];
}
