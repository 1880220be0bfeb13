import { answeredAlone, type AnsweringAddition } from "../corefile/additions";
import type { AskedAtClusterDns } from "../corefile/node-local-dns";
import type { OutsideNames } from "../corefile/outside-names";
import { sidesOf, zoneOfRewrite } from "../corefile/rewrites";
import { answeredZones } from "../corefile/zones";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, inZone } from "../syntax/names";

/** What the node cache asks at the cluster's DNS although it is outside the cluster domain: a cache must not change an answer. */
export function askedThere(said: FullProps): AskedAtClusterDns | undefined {
  const { zones, nodeLocalDNS, clusterDomain: domain } = said;
  const { askClusterDNS } = nodeLocalDNS;
  const all = [
    ...(askClusterDNS === "all" ? [undefined] : askClusterDNS),
    ...aboveStubs(said),
    ...answeredZones(zones).map(({ zone }) => zone),
    ...answeredOutside(said).flatMap(({ part, zones: answered }) => (part === "blocks" ? answered : [])),
  ];
  if (all.includes(undefined)) return { zones: [], isAll: true };
  const asked = outside(all, domain);
  return asked.length > 0 ? { zones: asked, isAll: false } : undefined;
}

/** The node cache leaves to a CoreDNS of ours, which has the same, what that may answer otherwise for any name of a zone. */
export function withoutAskedThere(names: OutsideNames, said: FullProps): OutsideNames {
  if (said.authoritativeDNS.kind === "Existing") return names;
  if (askedThere(said)?.isAll) return { ...names, stubDomains: [], hostAliases: [] };
  const above = outside(aboveStubs(said), said.clusterDomain);
  return { ...names, stubDomains: names.stubDomains.filter(({ zone }) => !above.some((each) => inZone(zone, each))) };
}

/** Zones of what is in the block for all other names, which stub domains have as well; undefined: any. */
function aboveStubs(said: FullProps): (string | undefined)[] {
  const { rewrites, clusterDomain: domain } = said;
  return [
    ...rewrites.filter((each) => sidesOf(each, domain).includes("outside")).map(zoneOfRewrite),
    ...answeredOutside(said).flatMap(({ part, zones }) => (part === "otherNames" ? zones : [])),
  ];
}

function answeredOutside({ authoritativeDNS, nodeLocalDNS }: FullProps): AnsweringAddition[] {
  return answeredAlone(authoritativeDNS.corefile, nodeLocalDNS.corefile).filter(({ part }) => part !== "clusterNames");
}

/** Each once, as in DNS. */
function outside(zones: readonly (string | undefined)[], domain: string): string[] {
  const all = zones.filter((zone) => zone !== undefined).map(canonicalName);
  return [...new Set(all)].filter((zone) => !inZone(zone, domain)).sort();
}
