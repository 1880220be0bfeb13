import { answeredAlone, zonesOfBlocks } from "../corefile/additions";
import type { AskedAtClusterDns } from "../corefile/node-local-dns";
import type { OutsideNames } from "../corefile/outside-names";
import { sidesOf, zoneOfRewrite } from "../corefile/rewrites";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, inZone, reverseZones, upwards } from "../syntax/names";
import { ownedZones } from "./zone-owners";

/**
 * What the node cache asks at the cluster's DNS although it is outside the cluster domain, or in a stub domain below that: a
 * cache must not change an answer.
 */
export function askedThere(said: FullProps): AskedAtClusterDns | undefined {
  const asked = zonesThere(said);
  const { clusterDomain: domain, nodeLocalDNS } = said;
  const owned = ownedZones(said);
  const stubs = owned.filter(({ zone, isApart, asksOutside }) => asksOutside && !isApart && inZone(zone, domain));
  const isOutside = (zone: string) => !inZone(zone, domain) || stubs.some((stub) => inZone(zone, stub.zone));
  const zones = [...new Set(asked)].filter(isOutside).sort();
  const blocks = zonesOfBlocks(nodeLocalDNS.corefile).map(canonicalName);
  const isBelow = (zone: string) => !blocks.includes(zone) && blocks.some((each) => inZone(zone, each));
  const below = [...owned.map(({ zone }) => zone), ...zones].filter((zone) => isOutside(zone) && isBelow(zone));
  if (asked !== undefined && zones.length + below.length === 0) return undefined;
  return { zones, isAll: asked === undefined, ...(below.length > 0 && { below: [...new Set(below)].sort() }) };
}

/** The node cache leaves to a CoreDNS of ours, which has the same, what that may answer otherwise for any name of a zone. */
export function withoutAskedThere(names: OutsideNames, said: FullProps): OutsideNames {
  const asked = zonesThere(said);
  const isExisting = said.authoritativeDNS.kind === "Existing";
  if (asked === undefined) return isExisting ? names : { ...names, stubDomains: [], hostAliases: [] };
  const [same, above] = [new Set(asked), new Set(aboveStubs(said))];
  // A zone, a block or a rule may have the name of an alias' address. CoreDNS looks at aliases before reverse stub domains.
  const isOneWay = !isExisting && names.hostAliases.length > 0;
  const isReverse = (zone: string) => reverseZones.some((each) => inZone(zone, each));
  const stubDomains = names.stubDomains.filter(
    ({ zone }) => !same.has(zone) && !upwards(zone).some((each) => above.has(each)) && !(isOneWay && isReverse(zone)),
  );
  const elsewhere = new Set(stubDomains.map(({ zone }) => zone));
  const isAskedThere = (name: string) =>
    same.has(upwards(canonicalName(name)).find((each) => same.has(each) || elsewhere.has(each)) ?? "");
  // A file with mistakes may lack names.
  const hostAliases = names.hostAliases.flatMap(({ ip, hostnames = [] }) => {
    const own = hostnames.filter((name) => isExisting || !isAskedThere(name));
    return own.length > 0 ? [{ ip, hostnames: own }] : [];
  });
  return { ...names, stubDomains, hostAliases, ...(isOneWay && { isOneWay }) };
}

/** Undefined: any name may be. */
function zonesThere(said: FullProps): string[] | undefined {
  const { askClusterDNS } = said.nodeLocalDNS;
  const all = [
    ...(askClusterDNS === "all" ? [undefined] : askClusterDNS),
    ...aboveStubs(said),
    ...ownedZones(said).flatMap(({ zone, key, isApart }) => (key === "zones" && isApart ? [zone] : [])),
    ...added("blocks", said),
  ];
  return all.includes(undefined) ? undefined : all.filter((zone) => zone !== undefined).map(canonicalName);
}

/** Zones of what is in the block for all other names, which stub domains have as well; undefined: any. */
function aboveStubs(said: FullProps): (string | undefined)[] {
  const { rewrites, clusterDomain: domain } = said;
  return [
    ...rewrites.filter((each) => sidesOf(each, domain).includes("outside")).map(zoneOfRewrite),
    ...added("otherNames", said),
  ];
}

function added(part: "blocks" | "otherNames", { authoritativeDNS, nodeLocalDNS }: FullProps): (string | undefined)[] {
  const answered = answeredAlone(authoritativeDNS.corefile, nodeLocalDNS.corefile);
  return answered.flatMap((each) => (each.part === part ? each.zones : []));
}
