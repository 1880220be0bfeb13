import { defaults } from "../defaults";
import { inDocs } from "../docs";
import type { FullGitOps, FullProps } from "../full-props/fill-in";
import type { Sparse } from "../syntax/sparse";
import { isMisspelt } from "../syntax/suggest";

/** What admission, or a description without it, means for pods and controllers. */
export function admissionNotes(said: FullProps): Sparse<string> {
  return [searchListNote(said), ndotsNote(said), lockedOutNotes(said)];
}

/** A search list that nothing sets. */
function searchListNote({ tenancy, admission }: FullProps): string | undefined {
  if (tenancy?.isolation !== "soft" || admission) return undefined;
  return `tenancy.isolation: soft has no effect without admission, unless you give tenants' pods their search list yourself; see ${inDocs("tenancy")}`;
}

/** Names of the cluster without its domain, by the number of their dots less one. */
const shortNames = [["web.prod"], ["web.prod.svc", "db-0.db.prod"], ["db-0.db.prod.svc"], ["_http._tcp.web.prod.svc"]];

/** Names that pods do not find by their search list any more. */
function ndotsNote({ admission, clusterDomain }: FullProps): string | undefined {
  const { ndots = 5 } = admission?.podDNSConfig?.options ?? {};
  const [first, second] = shortNames.slice(ndots - 1).flat();
  if (first === undefined) return undefined;
  const such = second === undefined ? first : `${first} and ${second}`;
  return `admission.podDNSConfig.options.ndots ${ndots}: pods with musl (Alpine) do not find names such as ${such} any more, and other pods ask outside for them first; have pods ask for ${first}${first.includes(".svc") ? "" : ".svc"}.${clusterDomain}, or list their namespaces in excludedNamespaces (${inDocs("search-path", "A lower ndots")})`;
}

/** A lock against the controller that is to apply what it locks. */
function lockedOutNotes({ admission, gitops }: FullProps): string[] {
  const applying = gitops && applyingAccount(gitops);
  if (!admission || !applying) return [];
  const { controller, namespace, account, others } = applying;
  // A file with mistakes may lack them.
  const { allowedUsers = [], allowedGroups } = admission;
  const isItsOwn = (of: string | undefined) => namespace === undefined || of === namespace;
  const [, name = ""] = account.split(":");
  const doubts = allowedUsers.flatMap((each) => {
    const [, of, given] = /^system:serviceaccount:([^:]+):(.+)$/.exec(each) ?? [];
    if (given === undefined || !isItsOwn(of)) return [];
    if (others !== undefined && given === others.name) return [`; ${each} is ${others.what}`];
    return [isMisspelt(given, name) ? `; ${each} is probably misspelt` : ""];
  });
  const isIn = (group: string) => {
    const [whole, of] = /^system:(?:authenticated|serviceaccounts(?::([^:]+))?)$/.exec(group) ?? [];
    return whole !== undefined && (of === undefined || isItsOwn(of));
  };
  if (doubts.includes("") || [...allowedUsers, ...allowedGroups].some(isIn)) return [];
  return [
    `admission allows no service account of ${controller}: unless ${controller} is one of these users, it cannot change what is locked${doubts[0] ?? ""}; name its own in admission.allowedUsers, such as system:serviceaccount:${account}`,
  ];
}

interface ApplyingAccount {
  readonly controller: string;
  /** Undefined if its accounts may be in any. */
  readonly namespace?: string;
  readonly account: string;
  /** The name of an account that may be taken for the one needed, and what it is. */
  readonly others?: { readonly name: string; readonly what: string };
}

function applyingAccount({ argocd, flux }: FullGitOps): ApplyingAccount | undefined {
  if (!argocd)
    return flux && { controller: "Flux", namespace: flux.namespace, account: `${flux.namespace}:kustomize-controller` };
  const { namespace, server } = argocd;
  const own = "argocd-application-controller";
  if (server === defaults.argocd.server) return { controller: "Argo CD", namespace, account: `${namespace}:${own}` };
  return {
    controller: "Argo CD",
    // What `argocd cluster add` makes in another cluster.
    account: "kube-system:argocd-manager",
    others: { name: own, what: `known only to its own cluster, not to ${server}` },
  };
}
