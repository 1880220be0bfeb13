import { inZone } from "../syntax/names";
import type { AppliedObject } from "./applied-object";
import { configsInUse } from "./configs-in-use";

/** What another cluster domain means: running pods keep the search list that they started with. */
export function leavingClusterDomain(before: readonly AppliedObject[], after: readonly AppliedObject[]): string[] {
  const [[old], [now, ...others]] = [zonesOf(before), zonesOf(after)];
  if (old === undefined || now === undefined || old === now) return [];
  // A stub domain above it need not know the cluster's Services.
  if (others.includes(old)) return [];
  // What is in the new one, we answer ourselves.
  const other = inZone(old, now)
    ? ""
    : `have a CoreDNS of your own answer ${old}, and name it in stubDomains in this commit, or `;
  return [
    `changes the cluster domain from ${old} to ${now}: running pods keep the search list of ${old}, where nobody answers any more, so they have no DNS for Services until they are made anew; ${other}do this in a maintenance window (docs/gitops.md, What needs a hand)`,
  ];
}

/** The zones of our Corefiles, which begin with the cluster domain. */
function zonesOf(objects: readonly AppliedObject[]): string[] {
  const keys = configsInUse(objects, "Corefile").flatMap((text) => text.match(/^\S.*(?= \{$)/gm) ?? []);
  return keys.flatMap((each) => each.split(" ")).map((key) => key.replace(/:53$/, ""));
}
