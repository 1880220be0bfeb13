import { inDocs } from "../docs";
import type { FullProps } from "../full-props/fill-in";
import { applierOf } from "../gitops/objects";
import type { Sparse } from "../syntax/sparse";
import { isMisspelt } from "../syntax/suggest";

export function admissionNotes(said: FullProps): Sparse<string> {
  return [searchListNote(said), ndotsNote(said), lockedOutNotes(said)];
}

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
  const { controller, account } = applierOf(gitops);
  if (!admission || !controller || !account) return [];
  const { namespace, others } = account;
  // A file with mistakes may lack them.
  const { allowedUsers = [], allowedGroups } = admission;
  const isItsOwn = (of: string | undefined) => namespace === undefined || of === namespace;
  const [, name = ""] = account.name.split(":");
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
    `admission allows no service account of ${controller.name}: unless ${controller.name} is one of these users, it cannot change what is locked${doubts[0] ?? ""}; name its own in admission.allowedUsers, such as system:serviceaccount:${account.name}`,
  ];
}
