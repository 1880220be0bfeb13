import type { AnsweredNames } from "../corefile/answered-names";
import { expressionOf, zoneOfRewrite } from "../corefile/rewrites";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, inZone, upwards } from "../syntax/names";
import { type OwnedZone, ownedZones, zoneOwner } from "./zone-owners";

/** Names outside that rules lead into the cluster, or into a zone that asks nobody outside; undefined: none. */
export function rewrittenNames(said: FullProps): AnsweredNames | undefined {
  const ownerOf = zoneOwner(said);
  const [names, zones] = [new Map<string, boolean>(), new Map<string, boolean>()];
  const expressions: string[] = [];
  // One that lacks a part is refused elsewhere, but must not throw here.
  for (const rewrite of said.rewrites.filter(({ from, to }) => from !== undefined && to !== undefined)) {
    const zone = zoneOfRewrite(rewrite);
    const isKnown = ownerOf(rewrite.to.replace(/^\./, ""))?.asksOutside === false;
    if (zone === undefined) {
      // What it leads outside may be in a rule behind it: that is better lost in an outage than kept when it is deleted.
      if (isKnown) expressions.push(expressionOf(rewrite));
      continue;
    }
    const name = canonicalName(zone);
    const [ofKind, above] = rewrite.match === "exact" ? [names, upwards(name).slice(1)] : [zones, upwards(name)];
    // The first rule that has a name counts.
    if (!ofKind.has(name) && !above.some((each) => zones.has(each))) ofKind.set(name, isKnown);
  }
  const of = (all: ReadonlyMap<string, boolean>, known: boolean) =>
    [...all].flatMap(([name, isKnown]) => (isKnown === known && !inZone(name, said.clusterDomain) ? [name] : []));
  return within(
    { names: of(names, true), zones: of(zones, true), expressions },
    { names: of(names, false), zones: of(zones, false) },
  );
}

/** These, and the names of such zones. */
export function answeredNames(said: FullProps): AnsweredNames | undefined {
  const rewritten = rewrittenNames(said);
  const { names = [], zones: ofRules = [], expressions = [], except = { names: [], zones: [] } } = rewritten ?? {};
  const outside = ownedZones(said).filter(({ zone }) => !inZone(zone, said.clusterDomain));
  const own = outside.flatMap(({ zone, isApart, asksOutside }) => (isApart && !asksOutside ? [zone] : []));
  // Rules come before stub domains.
  const isOther = ({ zone, isApart, asksOutside }: OwnedZone) =>
    asksOutside && (isApart || !ofRules.some((each) => inZone(zone, each))) && !own.includes(zone);
  const others = outside.filter(isOther).map(({ zone }) => zone);
  const ofOthers = { names: [...except.names, ...others], zones: [...except.zones, ...others] };
  return within({ names: [...names, ...own], zones: [...ofRules, ...own], expressions }, ofOthers);
}

/** @param except Of which only those count that are below zones of the first. */
function within(
  { names, zones, expressions }: Omit<AnsweredNames, "except">,
  except: AnsweredNames["except"],
): AnsweredNames | undefined {
  if (names.length + zones.length + expressions.length === 0) return undefined;
  const all = new Set(zones);
  const isBelow = (name: string) => upwards(name).some((each) => each !== name && all.has(each));
  const [exceptNames, exceptZones] = [except.names.filter(isBelow), except.zones.filter(isBelow)];
  return {
    names: sorted(names),
    zones: sorted(zones),
    expressions,
    except: { names: sorted(exceptNames), zones: sorted(exceptZones) },
  };
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
