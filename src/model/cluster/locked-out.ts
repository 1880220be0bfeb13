import { defaults } from "../defaults";
import type { FullGitOps, FullProps } from "../full-props/fill-in";
import { isMisspelt } from "../syntax/suggest";

/** A lock against the controller that is to apply what it locks. */
export function lockedOutNotes({ admission, gitops }: FullProps): string[] {
  const applying = gitops && controllerOf(gitops);
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

interface Controller {
  readonly controller: string;
  /** Undefined if its accounts may be in any. */
  readonly namespace?: string;
  readonly account: string;
  /** The name of an account that may be taken for the one needed, and what it is. */
  readonly others?: { readonly name: string; readonly what: string };
}

function controllerOf({ argocd, flux }: FullGitOps): Controller | undefined {
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
