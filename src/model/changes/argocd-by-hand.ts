import { differences } from "../kubernetes/differences";
import type { KubernetesObject } from "../kubernetes/object";
import { shellWord } from "../syntax/shell-word";
import type { Step } from "./step";

/**
 * When to apply a changed object of Argo CD's, and how: no kustomization has it, so that nothing else does. Empty for
 * every other object.
 * @param folder Of the cluster's manifests, in the repository.
 */
export function argoCdByHand(before: KubernetesObject | undefined, after: KubernetesObject, folder: string): Step[] {
  if (!isArgoCd(after)) return [];
  const { kind, metadata } = after;
  const file = `${folder}/gitops/argocd/${kind.toLowerCase()}-${metadata.name}.yaml`;
  const apply = `kubectl apply --server-side -f ${shellWord(file)}`;
  if (!before) return [{ when: "after", what: `apply it after the commit: ${apply}` }];
  return [kind === "AppProject" ? ofProject(before, after, apply) : ofApplication(before, after, apply)];
}

/** How to delete what is no longer rendered, once Argo CD has pruned what leaves with it; without the cluster's folder, it cannot. */
export function argoCdEnd(object: KubernetesObject, after: readonly KubernetesObject[]): Step[] {
  if (!isArgoCd(object)) return [];
  const { name, namespace } = object.metadata;
  const when = after.length === 0 ? "after the commit" : "once Argo CD has applied the commit";
  const what = `delete it ${when}: kubectl delete ${object.kind.toLowerCase()} ${name} --namespace ${namespace}`;
  return [{ when: "after", what }];
}

/** `diff --live` reads what kubectl prints, which may lack anything. */
export function isArgoCd({ apiVersion = "" }: KubernetesObject): boolean {
  return apiVersion.startsWith("argoproj.io/");
}

/**
 * Argo CD applies nothing from another repository, or to another place, than the project names, and prunes nothing
 * elsewhere. So where a namespace leaves, the project is narrowed last, and until then has what either version needs.
 */
function ofProject(before: KubernetesObject, after: KubernetesObject, apply: string): Step {
  const [old, now] = [namespaces(before), namespaces(after)];
  const leave = missing(now, old);
  if (leave.length === 0) return { when: "before", what: `apply it before the commit: ${apply}` };
  const afterwards = `once Argo CD has applied the commit, so that it still deletes what is in ${leave.join(", ")}: ${apply}`;
  const { name } = after.metadata;
  const add = [
    ...missing(sources(before), sources(after)).map((each) => `argocd proj add-source ${name} ${each}`),
    // What leaves may be in the same cluster, at its new address.
    ...missing(places(before, old), places(after, [...now, ...leave])).map(
      (each) => `argocd proj add-destination ${name} ${each}`,
    ),
  ];
  return add.length > 0
    ? { when: "before", what: `before the commit: ${add.join("; ")}; then, ${afterwards}` }
    : { when: "after", what: `apply it ${afterwards}` };
}

function missing(old: readonly string[], now: readonly string[]): string[] {
  return now.filter((each) => !old.includes(each));
}

function sources({ spec }: KubernetesObject): string[] {
  return ((spec?.["sourceRepos"] ?? []) as readonly string[]).map(shellWord);
}

interface Destination {
  readonly server: string;
  readonly namespace: string;
}

function destinations({ spec }: KubernetesObject): readonly Destination[] {
  return (spec?.["destinations"] ?? []) as readonly Destination[];
}

function namespaces(project: KubernetesObject): string[] {
  return destinations(project).map(({ namespace }) => namespace);
}

/** These namespaces at the project's one server. */
function places(project: KubernetesObject, all: readonly string[]): string[] {
  const [first] = destinations(project);
  return first ? all.map((each) => `${shellWord(first.server)} ${each}`) : [];
}

function ofApplication(before: KubernetesObject, after: KubernetesObject, apply: string): Step {
  const [old, now] = [before.spec?.["ignoreDifferences"], after.spec?.["ignoreDifferences"]];
  if (differences(old, now).length === 0)
    return { when: "before", what: `apply it, before or after the commit: ${apply}` };
  return now === undefined
    ? {
        when: "after",
        what: `apply it after the commit; until then, Argo CD keeps the number of pods that is there: ${apply}`,
      }
    : { when: "before", what: `apply it before the commit, or Argo CD undoes what the autoscaler does: ${apply}` };
}
