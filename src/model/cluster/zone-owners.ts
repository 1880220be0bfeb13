import { isOfServices, zonesOfBlocks } from "../corefile/additions";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, reverseZones, upwards } from "../syntax/names";

/** A zone of the description. */
export interface OwnedZone {
  /** As in DNS: lower case, without a dot at its end. */
  readonly zone: string;
  /** The key that says who answers its names; undefined: the cluster domain, and reverse zones. */
  readonly key: "authoritativeDNS.corefile.blocks" | "zones" | "stubDomains" | undefined;
  /** Whether CoreDNS has a block for its names, which looks at no rewrites and aliases. */
  readonly isApart: boolean;
  /** Whether servers outside are asked, for all of its names or for those that are not in it. */
  readonly asksOutside: boolean;
}

/** Of the same zone, the first counts. */
export function ownedZones({ zones, stubDomains, clusterDomain, authoritativeDNS }: FullProps): OwnedZone[] {
  const added = authoritativeDNS.corefile;
  const block = { key: "authoritativeDNS.corefile.blocks", isApart: true } as const;
  const all: OwnedZone[] = [
    ...zonesOfBlocks(added, isOfServices).map((zone) => ({ zone, ...block, asksOutside: false })),
    ...zonesOfBlocks(added).map((zone) => ({ zone, ...block, asksOutside: true })),
    ...Object.entries(zones).map(([zone, { forward, fallthrough }]) => ({
      zone,
      key: "zones" as const,
      isApart: forward === undefined,
      asksOutside: forward !== undefined || fallthrough,
    })),
    ...Object.keys(stubDomains).map((zone) => ({
      zone,
      key: "stubDomains" as const,
      isApart: false,
      asksOutside: true,
    })),
    { zone: clusterDomain, key: undefined, isApart: false, asksOutside: false },
    ...reverseZones.map((zone) => ({ zone, key: undefined, isApart: false, asksOutside: true })),
  ];
  return all.map((each) => ({ ...each, zone: canonicalName(each.zone) || "." }));
}

/** The longest of the zones that has a name: CoreDNS takes that one's block. */
export function zoneOwner(said: FullProps): (name: string) => OwnedZone | undefined {
  const byZone = new Map(
    ownedZones(said)
      .map((each) => [each.zone, each] as const)
      .toReversed(),
  );
  return (name) => {
    const zone = upwards(canonicalName(name) || ".").find((each) => byZone.has(each));
    return zone === undefined ? undefined : byZone.get(zone);
  };
}
