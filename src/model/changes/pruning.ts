import { kubectl } from "../command";
import { inDocs } from "../docs";
import { isKept } from "../gitops/annotations";
import { names } from "../object-names";
import { type InForce, nothingInForce } from "../steps/in-force";
import { byHand, effect, type Step, warning } from "../steps/step";
import { type KubernetesObject, identity } from "../kubernetes/object";
import { groupOf } from "../kubernetes/resource";
import { isArgoCd, isKustomization } from "./controllers";

export interface Applied {
  /** Empty: the cluster's folder is gone. */
  readonly objects: readonly KubernetesObject[];
  readonly inForce: InForce;
}

/** Once a cluster's folder is gone. */
export const nothingApplied: Applied = { objects: [], inForce: nothingInForce };

/** What is no longer rendered, not even with other contents. */
export function unrendered(before: Applied, after: Applied): KubernetesObject[] {
  const rendered = new Set(after.objects.map(withoutHash));
  return before.objects.filter((object) => !rendered.has(withoutHash(object)));
}

export type Stay = "kept" | "unknown-to-controller" | "folder-gone" | "left-by-flux" | "flux-left" | "flux-moved";

/** Undefined if the object is pruned, or no controller is known. */
export function whyItStays(object: KubernetesObject, before: Applied, after: Applied): Stay | undefined {
  if (isKept(object.metadata.annotations)) return "kept";
  const [old, next] = [before.inForce.controller, after.inForce.controller];
  if (!old) return next && "unknown-to-controller";
  if (isArgoCd(object) || isKustomization(object)) return undefined;
  if (after.objects.length === 0) return "folder-gone";
  if (old.name === "Argo CD") return undefined;
  // Its Kustomization has `deletionPolicy: Orphan`.
  if (isAuthoritative(object) && !after.objects.some(isAuthoritative)) return "left-by-flux";
  if (next?.name !== "Flux") return "flux-left";
  return next.namespace === old.namespace ? undefined : "flux-moved";
}

export function keepObject(object: KubernetesObject, stay: Stay, before: Applied, after: Applied): Step {
  const [old, next] = [before, after].map(({ inForce }) => inForce.controller?.name ?? "");
  const reasons: { readonly [stay in Stay]: string } = {
    kept: "kept from pruning. Delete it once nothing needs it",
    "unknown-to-controller": `as ${next} does not know it`,
    "folder-gone": `as ${old} no longer finds its folder, and prunes nothing`,
    "left-by-flux": "as Flux leaves the authoritative DNS",
    "flux-left": "as nothing prunes it once Flux is left",
    "flux-moved": "as the Kustomization that applied it leaves it, and the new ones do not know it",
  };
  const stays = `stays in the cluster, ${reasons[stay]}`;
  if (stay !== "unknown-to-controller" && stay !== "flux-moved") return effect("keep-object", stays);
  const { kind, metadata } = object;
  const where = metadata.namespace === undefined ? [] : ["--namespace", metadata.namespace];
  const text = `${stays}. Delete it after the commit, once nothing needs it`;
  return byHand("delete-object", "after", text, kubectl("delete", kind.toLowerCase(), metadata.name, ...where));
}

/** What leaves in the commit that leaves Flux, which prunes nothing any more. */
export function leaveFlux(before: Applied, after: Applied): Step[] {
  const staying = unrendered(before, after).filter((object) => whyItStays(object, before, after) === "flux-left");
  if (staying.length === 0) return [];
  return [
    warning(
      "leave-flux",
      `nothing prunes once Flux is left. What else leaves with this commit stays in the cluster, running and in force (${staying.length} of the objects below). Commit all other changes before this one, and let Flux apply them (${inDocs("gitops", "Leaving Flux")})`,
    ),
  ];
}

const authoritative: readonly string[] = [names.authoritativeDns, names.dnsService, names.autoscaler];

/** Whether an object is one of component `authoritative-dns`; a monitor of the same name is not. */
export function isAuthoritative(object: KubernetesObject): boolean {
  const name = object.metadata.name.replace(/^system:/, "");
  return authoritative.includes(name) && groupOf(object.apiVersion) !== "monitoring.coreos.com";
}

/** An object's identity, for configurations without the hash with which their name ends. */
export function withoutHash(object: KubernetesObject): string {
  return identity(object).replace(/-[0-9a-f]{10}$/, "");
}
