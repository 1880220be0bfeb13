import type { AnsweredNames } from "../corefile/answered-names";
import { answeredAlone, type AnsweringAddition } from "../corefile/additions";
import type { AskedAtClusterDns } from "../corefile/node-local-dns";
import { sidesOf, zoneOfRewrite } from "../corefile/rewrites";
import { answeredZones } from "../corefile/zones";
import type { FullProps, FullRewrite } from "../full-props/fill-in";
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

/** Names outside that rules lead into the cluster, or into a zone that asks nobody outside; undefined: none. */
export function rewrittenNames(said: FullProps): AnsweredNames | undefined {
  const { rewrites, clusterDomain: domain } = said;
  const targets = [domain, ...ownZones(said)];
  const leading = rewrites.filter(({ to }) => targets.some((zone) => inZone(canonicalName(to ?? ""), zone)));
  const ofRules = (match: FullRewrite["match"]) => leading.filter((each) => each.match === match).map(zoneOfRewrite);
  return noneOr(outside(ofRules("exact"), domain), outside(ofRules("suffix"), domain));
}

/** These, and the names of such zones. */
export function answeredNames(said: FullProps): AnsweredNames | undefined {
  const { names = [], zones = [] } = rewrittenNames(said) ?? {};
  const own = outside(ownZones(said), said.clusterDomain);
  return noneOr([...names, ...own], [...zones, ...own]);
}

function noneOr(names: readonly string[], zones: readonly string[]): AnsweredNames | undefined {
  return names.length + zones.length > 0 ? { names, zones } : undefined;
}

function ownZones({ zones }: FullProps): string[] {
  return answeredZones(zones).flatMap(({ zone, fallthrough }) => (fallthrough ? [] : [zone]));
}

/** Each once, as in DNS. */
function outside(zones: readonly (string | undefined)[], domain: string): string[] {
  const all = zones.filter((zone) => zone !== undefined).map(canonicalName);
  return [...new Set(all)].filter((zone) => !inZone(zone, domain)).sort();
}
