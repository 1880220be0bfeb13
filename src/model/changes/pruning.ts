import { isKept } from "../gitops/annotations";
import type { KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";
import { isArgoCd } from "./argocd-by-hand";
import { fluxNamespace, isKustomization } from "./flux-by-hand";
import { withoutHash } from "./without-hash";

/** What is no longer rendered, not even with other contents. */
export function unrendered(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): KubernetesObject[] {
  const rendered = new Set(after.map(withoutHash));
  return before.filter((object) => !rendered.has(withoutHash(object)));
}

/** The controller that applies these objects, if one of them is its own. */
export function controllerOf(objects: readonly KubernetesObject[]): "Argo CD" | "Flux" | undefined {
  if (objects.some(isArgoCd)) return "Argo CD";
  return objects.some(isKustomization) ? "Flux" : undefined;
}

export const prunesNothing = "no longer finds its folder, and prunes nothing";

/** Why an object stays that is no longer rendered. */
export interface Stay {
  readonly why: string;
  /** Whether somebody is told to delete it, as nothing else does. */
  readonly untilDeleted: boolean;
}

/** Why an object stays in the cluster that is no longer rendered; undefined if it is pruned, or no controller is known. */
export function whyItStays(
  object: KubernetesObject,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): Stay | undefined {
  if (isKept(object.metadata.annotations)) return stays("kept from pruning; delete it once nothing needs it");
  const controller = controllerOf(before);
  const next = controllerOf(after);
  if (controller === undefined && next !== undefined) return staysUntilDeleted(`as ${next} does not know it`);
  if (controller === undefined || isArgoCd(object) || isKustomization(object)) return undefined;
  if (after.length === 0) return stays(`as ${controller} ${prunesNothing}`);
  if (controller === "Argo CD") return undefined;
  // Its Kustomization has `deletionPolicy: Orphan`.
  if (isAuthoritative(object) && !after.some(isAuthoritative)) return stays("as Flux leaves the authoritative DNS");
  const moves = fluxNamespace(after) !== fluxNamespace(before);
  if (next !== "Flux") return stays(fluxIsLeft);
  return moves
    ? staysUntilDeleted("as the Kustomization that applied it leaves it, and the new ones do not know it")
    : undefined;
}

function stays(why: string): Stay {
  return { why, untilDeleted: false };
}

function staysUntilDeleted(why: string): Stay {
  return { why, untilDeleted: true };
}

/** Whether a DaemonSet is no longer rendered, and runs on: nobody is told to delete it. */
export function staysIfGone(
  name: string,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): boolean {
  return unrendered(before, after).some(
    (object) =>
      object.kind === "DaemonSet" &&
      object.metadata.name === name &&
      whyItStays(object, before, after)?.untilDeleted === false,
  );
}

export const fluxIsLeft = "as nothing prunes it once Flux is left";

const authoritative: readonly string[] = [names.authoritativeDns, names.dnsService, names.autoscaler];

/** Whether an object is one of component `authoritative-dns`; a monitor of the same name is not. */
export function isAuthoritative({ apiVersion = "", metadata: { name } }: KubernetesObject): boolean {
  return authoritative.includes(name.replace(/^system:/, "")) && !apiVersion.startsWith("monitoring.coreos.com/");
}
