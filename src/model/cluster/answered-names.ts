import type { AnsweredNames } from "../corefile/answered-names";
import { zoneOfRewrite } from "../corefile/rewrites";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, inZone, upwards } from "../syntax/names";
import { ownedZones, zoneOwner } from "./zone-owners";

/** Names outside that rules lead into the cluster, or into a zone that asks nobody outside; undefined: none. */
export function rewrittenNames(said: FullProps): AnsweredNames | undefined {
  const ownerOf = zoneOwner(said);
  const [names, zones] = [new Map<string, boolean>(), new Map<string, boolean>()];
  for (const rewrite of said.rewrites) {
    const zone = zoneOfRewrite(rewrite);
    const isKnown = ownerOf((rewrite.to ?? "").replace(/^\./, ""))?.asksOutside === false;
    // It may be for any name that a rule behind it has.
    if (zone === undefined && !isKnown) break;
    if (zone === undefined) continue;
    const name = canonicalName(zone);
    const [ofKind, above] = rewrite.match === "exact" ? [names, upwards(name).slice(1)] : [zones, upwards(name)];
    // The first rule that has a name counts.
    if (!ofKind.has(name) && !above.some((each) => zones.has(each))) ofKind.set(name, isKnown);
  }
  const of = (all: ReadonlyMap<string, boolean>, known: boolean) =>
    [...all].flatMap(([name, isKnown]) => (isKnown === known && !inZone(name, said.clusterDomain) ? [name] : []));
  return within(
    { names: of(names, true), zones: of(zones, true) },
    { names: of(names, false), zones: of(zones, false) },
  );
}

/** These, and the names of such zones. */
export function answeredNames(said: FullProps): AnsweredNames | undefined {
  const { names = [], zones: ofRules = [], except = { names: [], zones: [] } } = rewrittenNames(said) ?? {};
  const outside = ownedZones(said).filter(({ zone }) => !inZone(zone, said.clusterDomain));
  const own = outside.flatMap(({ zone, key, asksOutside }) => (key === "zones" && !asksOutside ? [zone] : []));
  // Rules come before stub domains.
  const apart = outside.filter(
    ({ zone, isApart, asksOutside }) => asksOutside && (isApart || !ofRules.some((each) => inZone(zone, each))),
  );
  return within(
    { names: [...names, ...own], zones: [...ofRules, ...own] },
    {
      names: except.names,
      zones: [...except.zones, ...apart.map(({ zone }) => zone)].filter((zone) => !own.includes(zone)),
    },
  );
}

type Names = Pick<AnsweredNames, "names" | "zones">;

/** Whether a name is among these, or below. */
export function hasName({ names, zones, except }: AnsweredNames, name: string): boolean {
  const isBelow = (of: readonly string[]) => of.some((zone) => zone !== name && inZone(name, zone));
  return names.includes(name) || (isBelow(zones) && !except.names.includes(name) && !isBelow(except.zones));
}

/** @param except Of which only those count that are below zones of the first. */
function within({ names, zones }: Names, except: Names): AnsweredNames | undefined {
  const all = new Set(zones);
  const isBelow = (name: string) => upwards(name).some((each) => each !== name && all.has(each));
  const [exceptNames, exceptZones] = [except.names.filter(isBelow), except.zones.filter(isBelow)];
  return names.length + zones.length > 0
    ? { names: sorted(names), zones: sorted(zones), except: { names: sorted(exceptNames), zones: sorted(exceptZones) } }
    : undefined;
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
