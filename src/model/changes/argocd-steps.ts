import { kubectl, type ShellCommand } from "../command";
import { byHand, type Step } from "../steps/step";
import { isArgoCd } from "./controllers";
import { differences } from "../kubernetes/differences";
import type { KubernetesObject } from "../kubernetes/object";

/** When to apply an object of Argo CD's: no kustomization has it. @param folder Of the cluster's manifests. */
export function argoCdSteps(before: KubernetesObject | undefined, after: KubernetesObject, folder: string): Step[] {
  if (!isArgoCd(after)) return [];
  const { kind, metadata } = after;
  const file = `${folder}/gitops/argocd/${kind.toLowerCase()}-${metadata.name}.yaml`;
  const apply = kubectl("apply", "--server-side", "-f", file);
  if (!before) return [byHand("apply-object", "after", "apply it after the commit", apply)];
  return kind === "AppProject" ? ofProject(before, after, apply) : [ofApplication(before, after, apply)];
}

/** How to delete what is no longer rendered, once Argo CD has pruned what leaves with it; without the cluster's folder, it cannot. */
export function argoCdEnd(object: KubernetesObject, after: readonly KubernetesObject[]): Step[] {
  if (!isArgoCd(object)) return [];
  const { name, namespace = "" } = object.metadata;
  const when = after.length === 0 ? "after the commit" : "once Argo CD has applied the commit";
  const command = kubectl("delete", object.kind.toLowerCase(), name, "--namespace", namespace);
  return [byHand("delete-object", "after", `delete it ${when}`, command)];
}

/** Argo CD applies and prunes only what the project names: where a namespace leaves, it is narrowed last. */
function ofProject(before: KubernetesObject, after: KubernetesObject, apply: ShellCommand): Step[] {
  const [old, now] = [namespaces(before), namespaces(after)];
  const leave = missing(now, old);
  if (leave.length === 0) return [byHand("apply-object", "before", "apply it before the commit", apply)];
  const add = (what: "add-source" | "add-destination", args: readonly string[]) => ({
    program: "argocd",
    args: ["proj", what, after.metadata.name, ...args],
  });
  const [server] = destinations(after).map((each) => each.server);
  const isSameServer = destinations(before)[0]?.server === server;
  // What leaves may be in the same cluster, at its new address.
  const added = isSameServer ? missing(old, now) : [...now, ...leave];
  const widen = [
    ...missing(sources(before), sources(after)).map((each) => add("add-source", [each])),
    ...(server === undefined ? [] : added.map((namespace) => add("add-destination", [server, namespace]))),
  ];
  const narrow = `apply it once Argo CD has applied the commit, so that Argo CD still deletes what is in ${leave.join(", ")}`;
  return [
    ...(widen.length > 0
      ? [byHand("widen-project", "before", "before the commit, let the project have what the commit needs", ...widen)]
      : []),
    byHand("apply-object", "after", narrow, apply),
  ];
}

function missing(old: readonly string[], now: readonly string[]): string[] {
  return now.filter((each) => !old.includes(each));
}

function sources({ spec }: KubernetesObject): readonly string[] {
  return (spec?.["sourceRepos"] ?? []) as readonly string[];
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

function ofApplication(before: KubernetesObject, after: KubernetesObject, apply: ShellCommand): Step {
  const [old, now] = [before.spec?.["ignoreDifferences"], after.spec?.["ignoreDifferences"]];
  if (differences(old, now).length === 0)
    return byHand("apply-object", "before", "apply it, before or after the commit", apply);
  return now === undefined
    ? byHand(
        "apply-object",
        "after",
        "apply it after the commit. Until then, Argo CD keeps the number of pods that is there",
        apply,
      )
    : byHand("apply-object", "before", "apply it before the commit, or Argo CD undoes what the autoscaler does", apply);
}
