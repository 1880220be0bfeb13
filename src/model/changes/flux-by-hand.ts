import { fluxFolder } from "../gitops/flux";
import { shellWord } from "../syntax/shell-word";
import { type AppliedObject, identity } from "./applied-object";
import type { Step } from "./step";

/** Applies its folder, and so the other Kustomizations, and later versions of itself and its source. */
const first = "cluster-dns";

interface Applied {
  readonly before: readonly AppliedObject[];
  readonly after: readonly AppliedObject[];
  /** Of the cluster's manifests, in the repository. */
  readonly folder: string;
}

/** How to apply what nothing applies yet: the first Kustomization, and its source. Empty for every other object. */
export function fluxStart(object: AppliedObject, { before, after, folder }: Applied): Step[] {
  if (!isFirst(object) && !isSource(object)) return [];
  const { kind, metadata } = object;
  const file = `${folder}/${fluxFolder}/${kind.toLowerCase()}-${metadata.name}.yaml`;
  const apply = `kubectl apply --server-side -f ${shellWord(file)}`;
  if (isFirst(object)) return [{ when: "after", what: `apply it after the commit: ${apply}` }];
  const known = new Set(before.map(identity));
  const starts = after.some((each) => isFirst(each) && !known.has(identity(each)));
  return starts ? [{ when: "after", what: `apply it after the commit, before Kustomization ${first}: ${apply}` }] : [];
}

/**
 * How to delete Kustomizations once none is rendered. Their folder is gone, so that the first prunes nothing, but fails,
 * and those that wait for it apply nothing. Until it is deleted, it may undo the patch.
 */
export function fluxEnd(object: AppliedObject, after: readonly AppliedObject[]): Step[] {
  if (!isKustomization(object) || after.some(isKustomization)) return [];
  const { name, namespace } = object.metadata;
  const it = `kustomization ${name} --namespace ${namespace}`;
  const what = isFirst(object)
    ? `stays; delete it, before or after the commit, which leaves the others: kubectl delete ${it}`
    : `stays, but applies nothing any more, as it waits for ${first}; once that is deleted, have this one leave what it applied, and delete it: kubectl patch ${it} --type=merge --patch='{"spec":{"deletionPolicy":"Orphan"}}' && kubectl delete ${it}`;
  return [{ when: "before", what }];
}

export function isFirst(object: AppliedObject): boolean {
  return isKustomization(object) && object.metadata.name === first;
}

/** `diff --live` reads what kubectl prints, which may lack anything. */
export function isKustomization({ apiVersion }: AppliedObject): boolean {
  return apiVersion?.startsWith("kustomize.toolkit.fluxcd.io/");
}

function isSource({ apiVersion }: AppliedObject): boolean {
  return apiVersion?.startsWith("source.toolkit.fluxcd.io/");
}
