import type { Difference } from "../kubernetes/differences";
import { jsonPatch } from "../kubernetes/json-patch";
import type { Service } from "../kubernetes/kinds";
import { unlikeRendered } from "../kubernetes/unlike-rendered";
import type { ClusterState } from "../running/cluster-state";
import { some } from "../syntax/some";
import { type Field, proxyLabel } from "./drift";
import { type Suggestion, about, patching } from "./suggestions";
import { olderPods, unreadKubelets } from "./still-in-use";

/**
 * Applying keeps ports and labels of a selector that somebody else has added, and cannot change the first address:
 * another one needs another Service, while pods that ask the first have no DNS.
 */
export function mendService(
  live: Service,
  { spec }: Service,
  fields: readonly Field[],
  state: ClusterState,
  apply: readonly Suggestion[],
): { readonly evidence: readonly string[]; readonly next: readonly Suggestion[] } {
  // Addresses cannot be patched at all, or not alone.
  const isPatched = ({ path }: Difference) => !/^(clusterIPs?|ipFamil.*)$/.test(String(path[1]));
  const others = unlikeRendered(live.spec, spec, ["spec"]).filter(isPatched);
  const unlabelled = fields.some(({ name: field }) => field === proxyLabel)
    ? [{ path: ["metadata", "labels", proxyLabel], before: undefined, after: undefined }]
    : [];
  const operations = jsonPatch(live, { spec }, [...others, ...unlabelled]);
  const patch = operations.length === 0 ? [] : [patching(live, operations)];
  const [before, last] = [apply.slice(0, -1), apply.slice(-1)];
  const isOfOthers = fields.every(({ name: field }) => field !== "clusterIPs");
  if (isOfOthers) return { evidence: [], next: [...before, ...patch] };
  const [[primary = "", secondary], [wantedPrimary, wantedSecondary]] = [addressesOf(live), addressesOf({ spec })];
  if (primary === wantedPrimary) {
    // A second address can come and go, but not become another.
    const isOther = secondary !== undefined && wantedSecondary !== undefined;
    const without = isOther ? [patching(live, { spec: { ipFamilyPolicy: "SingleStack" } }, "merge")] : [];
    return { evidence: [], next: [...before, ...without, ...patch, ...last] };
  }
  const nodes = [...state.kubelets].filter(([, { clusterDNS }]) => clusterDNS?.includes(primary)).map(([node]) => node);
  if (nodes.length > 0)
    return {
      evidence: [`pods ask ${primary}, as kubelets tell them (${some(nodes)}): the cluster file is wrong, or they are`],
      next: [
        ...patch,
        `set clusterDNS: [${addressesOf(live).join(", ")}] in the cluster file; for another address, change kubelets and restart pods first`,
        ...before,
      ],
    };
  const unread = unreadKubelets(state);
  const isHeadless = wantedPrimary === "None";
  if (unread !== undefined && !isHeadless)
    return {
      evidence: [`${unread}: if pods ask ${primary}, the cluster file is wrong`],
      next: [...patch, ...before],
    };
  const remove = { ...about(live, "delete"), ...(!isHeadless && { comment: olderPods }) };
  return { evidence: [], next: [...before, remove, ...last] };
}

function addressesOf({ spec: { clusterIP, clusterIPs } }: Pick<Service, "spec">): readonly string[] {
  return clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP]);
}
