import type { KubernetesObject } from "../kubernetes/object";
import { leavingClusterDomain } from "./leaving-cluster-domain";
import { leavingCoreDns } from "./leaving-core-dns";
import { leavingDnsAddress } from "./leaving-dns-address";
import { leavingFlux } from "./leaving-flux";
import { leavingLinkLocal } from "./leaving-link-local";
import { leavingNodeResolver } from "./leaving-node-resolver";
import { movedKustomizations } from "./moved-kustomizations";
import { controllerOf } from "./pruning";

/** What must not just leave, and what to do first. */
export function leaving(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  // No controller prunes anything of a folder that is gone.
  if (after.length === 0 && controllerOf(before) !== undefined) return [];
  return [
    leavingLinkLocal,
    leavingDnsAddress,
    leavingClusterDomain,
    leavingCoreDns,
    leavingNodeResolver,
    leavingFlux,
    movedKustomizations,
  ].flatMap((leaves) => leaves(before, after));
}
