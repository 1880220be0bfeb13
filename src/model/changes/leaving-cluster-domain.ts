import { inDocs } from "../docs";
import type { KubernetesObject } from "../kubernetes/object";
import { canonicalName, inZone } from "../syntax/names";
import { configsInUse } from "./configs-in-use";

/** What another cluster domain means: running pods keep the search list that they started with. */
export function leavingClusterDomain(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): string[] {
  const [[old], [now]] = [domainsOf(before), domainsOf(after)];
  if (old === undefined || now === undefined) return [];
  // A stub domain above it need not know the cluster's Services.
  if (corefiles(after).flatMap(zonesOf).includes(old)) return [];
  // What is in the new one, we answer ourselves.
  const other = inZone(old, now)
    ? ""
    : `have a CoreDNS of your own answer ${old}, and name it in stubDomains in this commit, or `;
  return [
    `changes the cluster domain from ${old} to ${now}: running pods keep the search list of ${old}, where nobody answers any more, so they have no DNS for Services until they are made anew; ${other}do this in a maintenance window (${inDocs("gitops", "What needs a hand")})`,
  ];
}

function domainsOf(objects: readonly KubernetesObject[]): string[] {
  return corefiles(objects).flatMap(domainOf);
}

function corefiles(objects: readonly KubernetesObject[]): string[] {
  return configsInUse(objects, "Corefile");
}

/** A cache's Corefile begins with the domain; kubeadm's, which ours takes the place of, has it in one block with the rest. */
function domainOf(text: string): string[] {
  const [, served] = /^\s+kubernetes +([^\s{]+)/m.exec(text) ?? [];
  const [first = "."] = zonesOf(text);
  const domain = served === undefined ? first : canonicalName(served);
  return domain === "." ? [] : [domain];
}

function zonesOf(text: string): string[] {
  const keys = text.match(/^\S.*(?= \{$)/gm) ?? [];
  return keys.flatMap((each) => each.split(" ")).map((key) => key.replace(/:53$/, ""));
}
