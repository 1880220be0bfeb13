import { isOfServices, zonesOfBlocks } from "../corefile/additions";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, reverseZones, upwards } from "../syntax/names";

/** A zone of the description. */
export interface OwnedZone {
  /** As in DNS: lower case, without a dot at its end. */
  readonly zone: string;
  /** The key that says who answers its names; undefined: the cluster domain, and reverse zones. */
  readonly key: "authoritativeDNS.corefile.blocks" | "zones" | "stubDomains" | "tenancy" | "federation" | undefined;
  /** Whether CoreDNS has a block for its names, which looks at no rewrites and aliases. */
  readonly isApart: boolean;
  /** Whether servers outside are asked, for all of its names or for those that are not in it. */
  readonly asksOutside: boolean;
}

/** Of the same zone, the first counts. */
export function ownedZones(said: FullProps): OwnedZone[] {
  const { zones, stubDomains, clusterDomain, authoritativeDNS, tenancy, federation } = said;
  const added = authoritativeDNS.corefile;
  const block = { key: "authoritativeDNS.corefile.blocks", isApart: true } as const;
  const known = { isApart: true, asksOutside: false };
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
    ...zonesOfNamespaces({ tenancy, clusterDomain }).map((zone) => ({ zone, key: "tenancy" as const, ...known })),
    ...zonesOfNamespaces({ federation, clusterDomain }).map((zone) => ({ zone, key: "federation" as const, ...known })),
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

/** Zones below the cluster's Services that stand for namespaces: of tenants, and of the federation. */
export function zonesOfNamespaces({
  tenancy,
  federation,
  clusterDomain,
}: Pick<FullProps, "clusterDomain"> & Partial<Pick<FullProps, "tenancy" | "federation">>): string[] {
  const names = [...(tenancy?.tenants ?? []), tenancy?.systemTenant, federation].flatMap((each) => each?.name ?? []);
  return names.map((name) => `${name}.svc.${clusterDomain}`);
}
