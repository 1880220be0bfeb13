import { answeredAlone } from "../corefile/additions";
import type { AskedAtClusterDns } from "../corefile/node-local-dns";
import type { OutsideNames } from "../corefile/outside-names";
import { sidesOf, zoneOfRewrite } from "../corefile/rewrites";
import { answeredZones } from "../corefile/zones";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, inZone } from "../syntax/names";

/** What the node cache asks at the cluster's DNS although it is outside the cluster domain: a cache must not change an answer. */
export function askedThere({
  rewrites,
  zones,
  authoritativeDNS,
  nodeLocalDNS,
  clusterDomain: domain,
}: FullProps): AskedAtClusterDns | undefined {
  const { askClusterDNS } = nodeLocalDNS;
  const rewritten = rewrites.filter((each) => sidesOf(each, domain).includes("outside")).map(zoneOfRewrite);
  const all = [
    ...(askClusterDNS === "all" ? [undefined] : askClusterDNS),
    ...rewritten,
    ...answeredZones(zones).map(({ zone }) => zone),
    ...answeredAlone(authoritativeDNS.corefile, nodeLocalDNS.corefile).flatMap(({ part, zones: answered }) =>
      part === "clusterNames" ? [] : answered,
    ),
  ];
  if (all.includes(undefined)) return { zones: [], isAll: true };
  const outside = all
    .filter((zone) => zone !== undefined)
    .map(canonicalName)
    .filter((zone) => !inZone(zone, domain));
  return outside.length > 0 ? { zones: [...new Set(outside)].sort(), isAll: false } : undefined;
}

/**
 * What the cache answers of names outside by itself: nothing, if it asks all of them at a CoreDNS of ours, which has the
 * same aliases and zones.
 */
export function outsideOfCache(
  outside: OutsideNames,
  there: AskedAtClusterDns | undefined,
  isOurs: boolean,
): OutsideNames {
  return there?.isAll && isOurs ? { ...outside, stubDomains: [], hostAliases: [] } : outside;
}
