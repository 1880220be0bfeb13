import { kubectl } from "../command";
import { fluxFolder } from "../gitops/flux";
import { byHand, type Step } from "../steps/step";
import { type KubernetesObject, identity } from "../kubernetes/object";
import { isFluxSource, isKustomization } from "./controllers";
import { differences } from "../kubernetes/differences";

/** Applies its folder, and so the other Kustomizations, and later versions of itself and its source. */
const first = "cluster-dns";

type Objects = readonly KubernetesObject[];

/**
 * How to apply what nothing applies yet, or what Flux does not learn of: the first Kustomization, and its source. Empty
 * for every other object, and for one that does not change.
 * @param folder Of the cluster's manifests, in the repository.
 */
export function fluxSteps(object: KubernetesObject, before: Objects, after: Objects, folder: string): Step[] {
  if (!isFirst(object) && !isFluxSource(object)) return [];
  const { kind, metadata } = object;
  const file = `${folder}/${fluxFolder}/${kind.toLowerCase()}-${metadata.name}.yaml`;
  const known = new Set(before.map(identity));
  const isWaitedFor = !isFirst(object) && differences(before.find(isFirst), after.find(isFirst)).length > 0;
  const when = `apply it after the commit${isWaitedFor ? `, before Kustomization ${first}` : ""}`;
  if (after.some((each) => isFirst(each) && !known.has(identity(each))))
    return [byHand("apply-object", "after", when, kubectl("apply", "--server-side", "-f", file))];
  const left = leftPlace(before, after);
  if (left === undefined) return [];
  const text = `${when}. Until then, Flux reads ${left}, where it may not find the commit`;
  // Flux has applied it, and so owns its fields.
  return [byHand("apply-object", "after", text, kubectl("apply", "--server-side", "--force-conflicts", "-f", file))];
}

/** Where the first Kustomization reads, if it shall read elsewhere. */
function leftPlace(before: Objects, after: Objects): string | undefined {
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

function placeOf(objects: Objects) {
  const { path, sourceRef } = objects.find(isFirst)?.spec ?? {};
  return { path, reference: sourceRef, source: objects.find(isFluxSource)?.spec };
}

/**
 * How to delete Kustomizations once none is rendered in their namespace. If none is at all, their folder is gone: the
 * first prunes nothing, but fails, and those that wait for it apply nothing. If they move, the first would prune the
 * others, and these what they applied. Until it is deleted, it may undo the patch.
 * @param next Where Flux has its Kustomizations afterwards, if it has any.
 */
export function fluxEnd(object: KubernetesObject, next: string | undefined): Step[] {
  const { name, namespace = "" } = object.metadata;
  if (!isKustomization(object) || next === namespace) return [];
  const it = ["kustomization", name, "--namespace", namespace];
  const end = kubectl("delete", ...it);
  if (isFirst(object)) {
    const when = next === undefined ? "stays. Delete it, before or after the commit" : "delete it before the commit";
    return [byHand("delete-object", "before", `${when}, which leaves the others`, end)];
  }
  const when =
    next === undefined
      ? `stays, but applies nothing any more, as it waits for ${first}. Once ${first} is deleted`
      : `before the commit, once ${first} is deleted`;
  const text = `${when}, have this one leave what it applied, and delete it`;
  const orphan = kubectl("patch", ...it, "--type=merge", `--patch={"spec":{"deletionPolicy":"Orphan"}}`);
  return [byHand("orphan-kustomization", "before", text, orphan, end)];
}

export function isFirst(object: KubernetesObject): boolean {
  return isKustomization(object) && object.metadata.name === first;
}
