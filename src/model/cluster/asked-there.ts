import { answeredAlone, type AnsweringAddition } from "../corefile/additions";
import type { AskedAtClusterDns } from "../corefile/node-local-dns";
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

/** Stub domains that the node cache asks itself: not those of which a CoreDNS of ours may answer any name otherwise. */
export function stubsOfCache<Stub extends { readonly zone: string }>(
  stubs: readonly Stub[],
  said: FullProps,
  there: AskedAtClusterDns | undefined,
): readonly Stub[] {
  if (said.authoritativeDNS.kind === "Existing") return stubs;
  const above = outside(aboveStubs(said), said.clusterDomain);
  return there?.isAll ? [] : stubs.filter(({ zone }) => !above.some((each) => inZone(zone, each)));
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
