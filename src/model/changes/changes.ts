import { inDocs } from "../docs";
import { type Difference, differences } from "../kubernetes/differences";
import { identity, isWorkload, type KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";
import { formatPath } from "../syntax/problem";
import { argoCdByHand, argoCdEnd } from "./argocd-by-hand";
import { certificateByHand, certificateEffects } from "./certificate-effects";
import { isFixed } from "./fixed-fields";
import { fluxByHand, fluxEnd, isFirst, isKustomization } from "./flux-by-hand";
import { leavingLinkLocal, nodeCacheAddresses } from "./leaving-link-local";
import { movingAdmission } from "./moving-admission";
import { podEffects } from "./pod-effects";
import { type Stay, unrendered, whyItStays } from "./pruning";
import type { Step } from "./step";
import { withoutHash } from "./without-hash";

/** What happens to one object, and its effects. */
export interface Change {
  readonly what: "new" | "changed" | "deleted";
  /** `Deployment kube-system/coredns`. */
  readonly object: string;
  readonly differences: readonly Difference[];
  /** The effects, in words. */
  readonly effects: readonly string[];
  /** Whether somebody must do something that applying the objects does not. */
  readonly needsHand: boolean;
  /** When they must. */
  readonly when?: Step["when"];
}

/**
 * What applying one set of objects after another changes: first the new set in its order, then what is removed. What is
 * done by hand is before or after these.
 * @param folder Of the cluster's manifests, in the repository: for commands.
 */
export function changes(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  folder = "dist/<cluster>",
): Change[] {
  const old = new Map(before.map((object) => [identity(object), object]));
  const kept = new Set(after.map(identity));
  const gone = before.filter((object) => !kept.has(identity(object)));
  const predecessors = new Map(gone.map((object) => [withoutHash(object), object]));
  const keepsReplicas = after.some(({ spec }) => spec?.["ignoreDifferences"] ?? spec?.["ignore"]);
  return inOrder([
    ...after.flatMap((object) => {
      const same = old.get(identity(object));
      const byHand = [...argoCdByHand(same, object, folder), ...fluxByHand(object, { before, after, folder })];
      if (same) return changed(same, object, byHand, keepsReplicas);
      return [created(object, predecessors.get(withoutHash(object)), byHand, movingAdmission(object, gone))];
    }),
    ...unrendered(before, after)
      // Before those that wait for it.
      .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
      .map((object) => deleted(object, before, after)),
  ]);
}

/** One controller's objects go before another's come. */
function inOrder(all: readonly Change[]): Change[] {
  const rank = ({ when, what }: Change) =>
    when === "before" ? 0 : when === undefined ? 1 : what === "deleted" ? 2 : 3;
  return all.toSorted((a, b) => rank(a) - rank(b));
}

/** Effects, of which the first are steps. */
function told(steps: readonly Step[], others: readonly string[]): Pick<Change, "effects" | "needsHand" | "when"> {
  const [first] = steps;
  const effects = [...steps.map(({ what }) => what), ...others];
  return { effects, needsHand: steps.length > 0, ...(first && { when: first.when }) };
}

function created(
  object: KubernetesObject,
  predecessor: KubernetesObject | undefined,
  byHand: readonly Step[],
  others: readonly string[],
): Change {
  // The old version of a configuration stays for the pods that use it.
  const content = predecessor ? differences(contentOf(predecessor), contentOf(object)) : [];
  const effects = predecessor ? [`replaces ${predecessor.metadata.name}`] : isWorkload(object) ? ["starts pods"] : [];
  return { what: "new", object: identity(object), differences: content, ...told(byHand, [...effects, ...others]) };
}

/**
 * @param ofController How to apply it, if nothing else does.
 * @param keepsReplicas Whether a GitOps controller is told to apply the number of pods that is there.
 */
function changed(
  before: KubernetesObject,
  after: KubernetesObject,
  ofController: readonly Step[],
  keepsReplicas: boolean,
): Change[] {
  const found = differences(withoutStatus(before), withoutStatus(after));
  if (found.length === 0) return [];
  const refused = found.map(({ path }) => formatPath(path)).filter((path) => isFixed(after.kind, path));
  const givesUpReplicas = before.spec?.["replicas"] !== undefined && after.spec?.["replicas"] === undefined;
  const byHand = [
    ...ofController,
    ...certificateByHand(before, after),
    ...(givesUpReplicas && !keepsReplicas ? [handsOver] : []),
    ...(refused.length > 0 ? [makesAnew(refused)] : []),
  ];
  const effects = [
    ...(givesUpReplicas && keepsReplicas ? ["keeps its pods until the autoscaler has counted"] : []),
    ...(rolls(after, found)
      ? [`replaces its pods, ${howMany(after)}`, ...withoutFailover(before), ...podEffects(before, after)]
      : []),
    ...certificateEffects(before, after),
  ];
  return [{ what: "changed", object: identity(after), differences: found, ...told(byHand, effects) }];
}

const handsOver: Step = {
  when: "before",
  what: `falls to 1 pod unless, before the commit, another field manager owns spec.replicas (${inDocs("gitops", "What needs a hand")})`,
};

/** Earlier, a controller would make the old one anew. */
function makesAnew(refused: readonly string[]): Step {
  return {
    when: "after",
    what: `${refused.join(", ")} cannot be changed: after the commit, delete the object; applying it makes it anew`,
  };
}

function deleted(
  object: KubernetesObject,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): Change {
  const stay = whyItStays(object, before, after);
  const byHand = [
    ...argoCdEnd(object, after),
    ...fluxEnd(object, after),
    ...(stay?.untilDeleted ? [deletes(object, stay)] : []),
  ];
  const effects =
    stay !== undefined
      ? stay.untilDeleted
        ? []
        : [inCluster(stay)]
      : isWorkload(object)
        ? ["ends its pods", ...withoutCache(object, before, after)]
        : byHand.length === 0 && isKustomization(object)
          ? [`Flux ${object.spec?.["deletionPolicy"] === "Orphan" ? "leaves" : "deletes"} what it applied`]
          : [];
  return { what: "deleted", object: identity(object), differences: [], ...told(byHand, effects) };
}

function inCluster({ why }: Stay): string {
  return `stays in the cluster, ${why}`;
}

function deletes({ kind, metadata: { name, namespace } }: KubernetesObject, stay: Stay): Step {
  const where = namespace === undefined ? "" : ` --namespace ${namespace}`;
  return {
    when: "after",
    what: `${inCluster(stay)}; delete it after the commit, once nothing needs it: kubectl delete ${kind.toLowerCase()} ${name}${where}`,
  };
}

/** Upstream's node-cache alone has the link-local address that pods ask. */
function withoutFailover(object: KubernetesObject): string[] {
  return nodeCacheAddresses([object]).length === 1 ? ["while one is replaced, the node's pods have no DNS"] : [];
}

/** There is a warning where a link-local address ends, and another where all ends. */
function withoutCache(
  { kind, metadata: { name } }: KubernetesObject,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): string[] {
  const isCache = kind === "DaemonSet" && name === names.nodeLocalDns;
  return isCache && after.length > 0 && leavingLinkLocal(before, after).length === 0
    ? ["pods then ask the cluster DNS, without a cache"]
    : [];
}

function rolls(object: KubernetesObject, found: readonly Difference[]): boolean {
  return isWorkload(object) && found.some(({ path: [first, second] }) => first === "spec" && second === "template");
}

function howMany({ kind, spec, status }: KubernetesObject): string {
  if (kind === "DaemonSet")
    return `one on each of its ${status?.desiredNumberScheduled === undefined ? "" : `${status.desiredNumberScheduled} `}nodes`;
  return spec?.["replicas"] === undefined ? "as many as there are" : `${String(spec["replicas"])} of them`;
}

function withoutStatus({ status: _status, ...object }: KubernetesObject): object {
  return object;
}

function contentOf(object: KubernetesObject): object {
  return { ...object, metadata: undefined };
}
