import { kubectl } from "../command";
import type { FullGitOps } from "../full-props/fill-in";
import type { KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";
import type { Applier } from "./applier";
import { repositoryPath, type RenderedFolders } from "./rendered-folders";
import { deployment, numberForAutoscaled, replicasPath, type Replicas } from "./replicas";

const apiVersion = "kustomize.toolkit.fluxcd.io/v1";
const prefix = "cluster-dns";

type FullFlux = NonNullable<FullGitOps["flux"]>;

/** Where these objects are written, below the cluster's folder. */
export const fluxFolder = "gitops/flux";

/** A failed apply is tried again soon, and a health check ends before the next commit has waited for long. */
const timeoutSeconds = 180;
const times = { interval: "10m", retryInterval: "30s", timeout: `${timeoutSeconds / 60}m` } as const;

const authoritativeDns = "authoritative-dns";

const smokeTest = "smoke-test";

/** Nothing waits for these: a red test keeps back no alerts. */
const unawaited: readonly string[] = [smokeTest, "monitoring"];

/** Whatever happens to its Kustomization, such as a move to another namespace: CoreDNS stays. */
const deletion: { readonly [component: string]: object } = { [authoritativeDns]: { deletionPolicy: "Orphan" } };

export function flux(options: FullFlux): Applier {
  const { namespace, folder } = options;
  const there = ["--namespace", namespace];
  const columns = "NAME:.metadata.name,SUSPENDED:.spec.suspend,STATUS:.status.conditions[0].message";
  return {
    controller: { name: "Flux", namespace },
    folder,
    account: { namespace, name: `${namespace}:kustomize-controller` },
    objects: (folders) => ({ [fluxFolder]: fluxObjects(options, folders) }),
    show: () => [kubectl("get", "kustomizations", "-n", namespace, "-o", `custom-columns=${columns}`)],
    apply: (_, manifests) => `commit ${manifests}, and let Flux reconcile its Kustomizations`,
    testAgain: () => ({ program: "flux", args: ["reconcile", "kustomization", names.smokeTest, "-n", namespace] }),
    end: () => [
      "End Flux's Kustomizations. The first goes first: it would undo the patch of the others. With the patch, what they applied stays.",
      kubectl("delete", "kustomization", prefix, ...there),
      { program: "sh", args: ["-c", endOthers(namespace), "sh"], endsWithContext: true },
    ],
  };
}

/** @param namespace Of the Kustomizations. */
function endOthers(namespace: string): string {
  const there = `--namespace ${namespace}`;
  const others = `kubectl "$@" get kustomizations ${there} --selector kustomize.toolkit.fluxcd.io/name=${prefix} -o name`;
  const orphan = `kubectl "$@" patch "$each" ${there} --type=merge --patch="spec: {deletionPolicy: Orphan}"`;
  return `for each in $(${others}); do ${orphan} && kubectl "$@" delete "$each" ${there}; done`;
}

/**
 * A Kustomization for each component, and one above them. A component waits for the health of the one before it, unless
 * nothing waits for that one. The one above prunes the Kustomization of a component that leaves the output, whose end
 * prunes its objects; the first component waits for it, so that none is applied as an older commit says.
 */
function fluxObjects(
  { source, folder, namespace }: FullFlux,
  { cluster, components, replicas, seconds }: RenderedFolders,
): KubernetesObject[] {
  const kustomization = (name: string, part: string, more: object): KubernetesObject => ({
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
      const previous = components.slice(0, i).findLast((each) => !unawaited.includes(each));
      return kustomization(nameOf(component), component, {
        dependsOn: [{ name: previous === undefined ? prefix : nameOf(previous) }],
        wait: true,
        ...longer(seconds[component]),
        ...deletion[component],
        ...(component === authoritativeDns && replicas?.isAutoscaled ? autoscaled(replicas) : {}),
      });
    }),
  ];
}

/** The health check must not give up on what is still under way. */
function longer(seconds = 0): object {
  return seconds > timeoutSeconds ? { timeout: `${seconds}s` } : {};
}

/** Flux applies the number of pods that is there. */
function autoscaled(replicas: Replicas): object {
  return {
    patches: [numberForAutoscaled(replicas)],
    ignore: [{ target: deployment, paths: [replicasPath] }],
  };
}

function sourceObjects({ kind, name, url, ref, secretRef }: FullFlux["source"], namespace: string): KubernetesObject[] {
  if (url === undefined) return [];
  const reference = kind === "OCIRepository" ? { tag: ref } : { branch: ref };
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
