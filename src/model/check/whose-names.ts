import { zonesOfBlocks } from "../corefile/additions";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, reverseZones, upwards } from "../syntax/names";

/** A zone whose names CoreDNS answers without looking at rewrites and aliases. */
interface ApartZone {
  readonly zone: string;
  /** The key that says so. */
  readonly key: "zones" | "authoritativeDNS.corefile.blocks";
}

/** The zone that answers names apart, if the longest zone that has them does: CoreDNS takes that one's block. */
export function apartZones(said: FullProps): (names: string) => ApartZone | undefined {
  const { zones, stubDomains, clusterDomain, authoritativeDNS } = said;
  const all: { readonly zone: string; readonly key?: ApartZone["key"] }[] = [
    ...zonesOfBlocks(authoritativeDNS.corefile).map((zone) => ({
      zone,
      key: "authoritativeDNS.corefile.blocks" as const,
    })),
    ...Object.entries(zones).map(([zone, { forward }]) => ({ zone, ...(!forward && { key: "zones" as const }) })),
    ...[...Object.keys(stubDomains), clusterDomain, ...reverseZones].map((zone) => ({ zone })),
  ];
  // Of the same zone, the first counts.
  const byZone = new Map(all.map((each) => [canonicalName(each.zone) || ".", each] as const).toReversed());
  return (names) => {
    const zone = upwards(canonicalName(names) || ".").find((each) => byZone.has(each));
    const longest = zone === undefined ? undefined : byZone.get(zone);
    return longest?.key && { zone: longest.zone, key: longest.key };
  };
}
