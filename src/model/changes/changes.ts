import { inDocs } from "../docs";
import { names } from "../object-names";
import { asksNodeCache, lostAddresses } from "../steps/link-local";
import { byHand, effect, type Step } from "../steps/step";
import { formatPath } from "../syntax/problem";
import { certificateSteps, moveAdmission } from "./admission-steps";
import { type KubernetesObject, identity, isWorkload } from "../kubernetes/object";
import { withoutHash, type Applied, keepObject, unrendered, whyItStays } from "./pruning";
import { argoCdEnd, argoCdSteps } from "./argocd-steps";
import { isKustomization } from "./controllers";
import { differences, type Difference } from "../kubernetes/differences";
import { isFixed } from "./fixed-fields";
import { fluxEnd, fluxSteps, isFirst } from "./flux-steps";
import { podSteps } from "./pod-steps";

export interface Change {
  readonly what: "new" | "changed" | "deleted";
  readonly object: string;
  readonly differences: readonly Difference[];
  /** What is done by hand, then what follows. */
  readonly steps: readonly Step[];
}

/** First the new set in its order, then what is removed. @param folder Of the manifests: for commands. */
export function changes(before: Applied, after: Applied, folder = "dist/<cluster>"): Change[] {
  const old = new Map(before.objects.map((object) => [identity(object), object]));
  const kept = new Set(after.objects.map(identity));
  const gone = before.objects.filter((object) => !kept.has(identity(object)));
  const predecessors = new Map(gone.map((object) => [withoutHash(object), object]));
  return inOrder([
    ...after.objects.flatMap((object) => {
      const same = old.get(identity(object));
      const ofFlux = fluxSteps(object, before.objects, after.objects, folder);
      const ofController = [...argoCdSteps(same, object, folder), ...ofFlux];
      if (same) return changed(same, object, ofController, before, after);
      const [anew] = [predecessors.get(withoutHash(object))];
      return [created(object, anew, [...ofController, moveAdmission(object, gone) ?? []].flat())];
    }),
    ...unrendered(before, after)
      // Before those that wait for it.
      .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
      .map((object) => deleted(object, before, after)),
  ]);
}

/** When somebody must do something that applying the objects does not; undefined if nobody must. */
export function whenByHand({ steps }: Pick<Change, "steps">): "before" | "after" | undefined {
  const when = steps.find(({ by }) => by === "person")?.when;
  return when === "with" ? undefined : when;
}

/** One controller's objects go before another's come. */
function inOrder(all: readonly Change[]): Change[] {
  const rank = (change: Change) => {
    const when = whenByHand(change);
    if (when === undefined) return 1;
    return when === "before" ? 0 : change.what === "deleted" ? 2 : 3;
  };
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function created(object: KubernetesObject, predecessor: KubernetesObject | undefined, steps: readonly Step[]): Change {
  // The old version of a configuration stays for the pods that use it.
  const content = predecessor ? differences(contentOf(predecessor), contentOf(object)) : [];
  const effects = predecessor
    ? [effect("replace-configuration", `replaces ${predecessor.metadata.name}`)]
    : isWorkload(object)
      ? [effect("start-pods", "starts pods")]
      : [];
  return { what: "new", object: identity(object), differences: content, steps: handsFirst([...effects, ...steps]) };
}

function handsFirst(steps: readonly Step[]): Step[] {
  return steps.toSorted((a, b) => Number(b.by === "person") - Number(a.by === "person"));
}

/** @param ofController How to apply it, if nothing else does. */
function changed(
  old: KubernetesObject,
  now: KubernetesObject,
  ofController: readonly Step[],
  before: Applied,
  after: Applied,
): Change[] {
  const found = differences(withoutStatus(old), withoutStatus(now));
  if (found.length === 0) return [];
  const refused = found.map(({ path }) => formatPath(path)).filter((path) => isFixed(now.kind, path));
  const givesUpReplicas = old.spec?.["replicas"] !== undefined && now.spec?.["replicas"] === undefined;
  const rolls = isWorkload(now) && found.some(({ path: [first, second] }) => first === "spec" && second === "template");
  const steps = [
    ...ofController,
    ...certificateSteps(old, now),
    ...(givesUpReplicas ? [keepsReplicas(after) ? keepReplicas : ownReplicas] : []),
    ...(refused.length > 0 ? [makeAnew(refused)] : []),
    ...(rolls ? [replacePods(now), ...interruptDns(old, before), ...podSteps(old, now)] : []),
  ];
  return [{ what: "changed", object: identity(now), differences: found, steps: handsFirst(steps) }];
}

/** Whether a GitOps controller is told to apply the number of pods that is there. */
function keepsReplicas({ objects }: Applied): boolean {
  return objects.some(({ spec }) => spec?.["ignoreDifferences"] ?? spec?.["ignore"]);
}

const keepReplicas = effect("keep-replicas", "keeps its pods until the autoscaler has counted");

const ownReplicas = byHand(
  "own-replicas",
  "before",
  `falls to 1 pod, unless another field manager owns spec.replicas. Have one own it before the commit (${inDocs("gitops", "What needs a hand")})`,
);

/** Earlier, a controller would make the old one anew. */
function makeAnew(refused: readonly string[]): Step {
  return byHand(
    "make-object-anew",
    "after",
    `${refused.join(", ")} cannot be changed. Delete the object after the commit: applying it makes it anew`,
  );
}

function replacePods({ kind, spec, status }: KubernetesObject): Step {
  const nodes = status?.desiredNumberScheduled;
  const ofNodes = `one on each of its ${nodes === undefined ? "" : `${nodes} `}nodes`;
  const ofReplicas = spec?.["replicas"] === undefined ? "as many as there are" : `${spec.replicas} of them`;
  return effect("replace-pods", `replaces its pods, ${kind === "DaemonSet" ? ofNodes : ofReplicas}`);
}

/** Upstream's node-cache alone has the link-local address that pods ask. */
function interruptDns(object: KubernetesObject, { inForce }: Applied): Step[] {
  return isNodeCache(object) && asksNodeCache(inForce)
    ? [effect("interrupt-dns", "while one is replaced, the node's pods have no DNS")]
    : [];
}

function deleted(object: KubernetesObject, before: Applied, after: Applied): Change {
  const stay = whyItStays(object, before, after);
  const { controller } = after.inForce;
  const ends = [
    ...argoCdEnd(object, after.objects),
    ...fluxEnd(object, controller?.name === "Flux" ? controller.namespace : undefined),
  ];
  const steps = stay ? [keepObject(object, stay, before, after)] : ends.length > 0 ? [] : pruned(object, before, after);
  return { what: "deleted", object: identity(object), differences: [], steps: [...ends, ...steps] };
}

function pruned(object: KubernetesObject, before: Applied, after: Applied): Step[] {
  if (isKustomization(object)) {
    const does = object.spec?.["deletionPolicy"] === "Orphan" ? "leaves" : "deletes";
    return [effect("prune-components", `Flux ${does} what it applied`)];
  }
  if (!isWorkload(object)) return [];
  const isOnlyCache =
    isNodeCache(object) && after.objects.length > 0 && lostAddresses(before.inForce, after.inForce).length === 0;
  return [
    effect("end-pods", "ends its pods"),
    // There is a warning where a link-local address ends, and another where all ends.
    ...(isOnlyCache ? [effect("lose-cache", "pods then ask the cluster DNS, without a cache")] : []),
  ];
}

/** Of workloads: only a DaemonSet has that name. */
function isNodeCache({ metadata }: KubernetesObject): boolean {
  return metadata.name === names.nodeLocalDns;
}

function withoutStatus({ status: _status, ...object }: KubernetesObject): object {
  return object;
}

function contentOf(object: KubernetesObject): object {
  return { ...object, metadata: undefined };
}
