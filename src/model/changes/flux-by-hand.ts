import { fluxFolder } from "../gitops/flux";
import { differences } from "../kubernetes/differences";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { shellWord } from "../syntax/shell-word";
import type { Step } from "./step";

/** Applies its folder, and so the other Kustomizations, and later versions of itself and its source. */
const first = "cluster-dns";

interface Applied {
  readonly before: readonly KubernetesObject[];
  readonly after: readonly KubernetesObject[];
  /** Of the cluster's manifests, in the repository. */
  readonly folder: string;
}

/**
 * How to apply what nothing applies yet, or does not learn of: the first Kustomization, and its source. Empty for every
 * other object, and for one that does not change.
 */
export function fluxByHand(object: KubernetesObject, { before, after, folder }: Applied): Step[] {
  if (!isFirst(object) && !isSource(object)) return [];
  const { kind, metadata } = object;
  const file = shellWord(`${folder}/${fluxFolder}/${kind.toLowerCase()}-${metadata.name}.yaml`);
  const known = new Set(before.map(identity));
  const isWaitedFor = !isFirst(object) && differences(before.find(isFirst), after.find(isFirst)).length > 0;
  const when = `apply it after the commit${isWaitedFor ? `, before Kustomization ${first}` : ""}`;
  if (after.some((each) => isFirst(each) && !known.has(identity(each))))
    return [{ when: "after", what: `${when}: kubectl apply --server-side -f ${file}` }];
  const left = leftPlace(before, after);
  if (left === undefined) return [];
  // Flux has applied it, and so owns its fields.
  const apply = `kubectl apply --server-side --force-conflicts -f ${file}`;
  return [
    { when: "after", what: `${when}; until then Flux reads ${left}, where it may not find the commit: ${apply}` },
  ];
}

/** Where the first Kustomization reads, if it shall read elsewhere. */
function leftPlace(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string | undefined {
  const [old, now] = [placeOf(before), placeOf(after)];
  // The same one may have another name, or be somebody else's.
  const isSame =
    old.source && now.source
      ? differences([old.source["url"], old.source["ref"]], [now.source["url"], now.source["ref"]]).length === 0
      : differences(old.reference, now.reference).length === 0;
  if (old.path === now.path && isSame) return undefined;
  const { kind, name } = (old.reference ?? {}) as { readonly kind?: string; readonly name?: string };
  const { url = `${kind} ${name}`, ref = {} } = old.source ?? {};
  return [`${String(old.path)} of ${String(url)}`, ...Object.values(ref as object)].join(", ");
}

function placeOf(objects: readonly KubernetesObject[]) {
  const { path, sourceRef } = objects.find(isFirst)?.spec ?? {};
  return { path, reference: sourceRef, source: objects.find(isSource)?.spec };
}

/**
 * How to delete Kustomizations once none is rendered in their namespace. If none is at all, their folder is gone, so that
 * the first prunes nothing, but fails, and those that wait for it apply nothing. If they move, the first would prune the
 * others, and these what they applied. Until it is deleted, it may undo the patch.
 */
export function fluxEnd(object: KubernetesObject, after: readonly KubernetesObject[]): Step[] {
  const next = fluxNamespace(after);
  if (!isKustomization(object) || next === object.metadata.namespace) return [];
  const { name, namespace } = object.metadata;
  const it = `kustomization ${name} --namespace ${namespace}`;
  const orphan = `have this one leave what it applied, and delete it: kubectl patch ${it} --type=merge --patch='{"spec":{"deletionPolicy":"Orphan"}}' && kubectl delete ${it}`;
  const whenFirst = next === undefined ? "stays; delete it, before or after the commit" : "delete it before the commit";
  const whenOther =
    next === undefined
      ? `stays, but applies nothing any more, as it waits for ${first}; once that is deleted`
      : `before the commit, once ${first} is deleted`;
  const what = isFirst(object)
    ? `${whenFirst}, which leaves the others: kubectl delete ${it}`
    : `${whenOther}, ${orphan}`;
  return [{ when: "before", what }];
}

/** Where Flux has its Kustomizations; undefined without any. */
export function fluxNamespace(objects: readonly KubernetesObject[]): string | undefined {
  return objects.find(isKustomization)?.metadata.namespace;
}

export function isFirst(object: KubernetesObject): boolean {
  return isKustomization(object) && object.metadata.name === first;
}

/** `diff --live` reads what kubectl prints, which may lack anything. */
export function isKustomization({ apiVersion = "" }: KubernetesObject): boolean {
  return apiVersion.startsWith("kustomize.toolkit.fluxcd.io/");
}

function isSource({ apiVersion = "" }: KubernetesObject): boolean {
  return apiVersion.startsWith("source.toolkit.fluxcd.io/");
}
