import type { WrittenBlock, WrittenDirective } from "../corefile/corefile";
import { zonesSaid } from "../corefile/plugins";
import { zoneOfRewrite } from "../corefile/rewrites";
import { zonesOf } from "../corefile/server-key";
import { grouped } from "../syntax/grouped";
import { inZone, reverseZones, upwards } from "../syntax/names";
import { rewriteRule } from "./rewrite-rules";

/** A server block's plugins, by the zones that they name: of thousands, few are for one zone. */
export interface Parts {
  readonly forwards: ByZone;
  /** Rules that are for names of one zone, by that zone, and by each above it. */
  readonly rules: { readonly at: ByZone; readonly below: ByZone };
  readonly others: ByZone;
}

/** Under `.` also those that name none. */
type ByZone = ReadonlyMap<string, readonly Placed[]>;

interface Placed {
  readonly directive: WrittenDirective;
  readonly at: number;
}

export function partsOf({ plugins }: WrittenBlock): Parts {
  const placed = plugins.map((directive, at) => ({ directive, at }));
  const zonesNamed = (directive: WrittenDirective) => {
    const zones = zonesSaid(directive);
    return zones.length === 0 ? ["."] : directive.name === "hosts" ? [...zones, ...reverseZones] : zones;
  };
  // Undefined for what may be for any name.
  const zones = new Map(
    placed.map(({ directive }) => {
      const rule = directive.name === "rewrite" ? rewriteRule(directive) : undefined;
      return [directive, rule && zoneOfRewrite(rule)];
    }),
  );
  const rules = placed.filter(({ directive }) => zones.get(directive) !== undefined);
  const upTo = (directive: WrittenDirective, count?: number) => upwards(zones.get(directive) ?? "").slice(0, count);
  return {
    forwards: placedByZone(placed.filter(isForward), (each) => [forwardedZone(each)]),
    rules: { at: placedByZone(rules, (each) => upTo(each, 1)), below: placedByZone(rules, (each) => upTo(each)) },
    others: placedByZone(
      placed.filter((each) => !isForward(each) && zones.get(each.directive) === undefined),
      zonesNamed,
    ),
  };
}

function placedByZone(all: readonly Placed[], zonesNamed: (directive: WrittenDirective) => readonly string[]): ByZone {
  const named = all.flatMap((each) => zonesNamed(each.directive).map((zone) => ({ ...each, zone })));
  return new Map(grouped(named, ({ zone }) => zone));
}

export function behindIn(parts: Parts): { forward: WrittenDirective; first: WrittenDirective }[] {
  return inOrder([...parts.forwards.values()].flat()).flatMap(({ directive: forward, at }) => {
    const zone = forwardedZone(forward);
    const isAhead = (each: Placed) =>
      each.at < at && !exceptions(each.directive).some((one) => inZone(zone, one) || inZone(one, zone));
    const ahead = allAbove(zone, parts.forwards).find(isAhead);
    return ahead ? [{ forward, first: ahead.directive }] : [];
  });
}

function isForward({ directive: { name } }: Placed): boolean {
  return name === "forward";
}

function forwardedZone({ args: [zone = ""] }: WrittenDirective): string {
  return zonesOf(zone)[0] ?? "";
}

/** Zones that a `forward` names, and others than it may answer. */
export function zonesOfForwards(parts: Parts): string[] {
  return [...parts.forwards]
    .flatMap(([zone, ofZone]) => [zone, ...ofZone.flatMap(({ directive }) => exceptions(directive))])
    .filter((zone) => forwardFor(zone, parts));
}

/** The zones that a `forward` leaves to what is behind it. */
function exceptions({ options }: WrittenDirective): string[] {
  return options.flatMap(({ name, args }) => (name === "except" ? args.flatMap(zonesOf) : []));
}

/** What is for the names of a zone, by its own or a wider one, in the order of the block. */
function allAbove(zone: string, known: ByZone): Placed[] {
  const all = upwards(zone).flatMap((each) => known.get(each) ?? []);
  return inOrder([...new Map(all.map((each) => [each.at, each])).values()]);
}

/** Of thousands of rules, few are for names of a zone. */
export function othersFor(zone: string, { rules, others }: Parts): Placed[] {
  const above = upwards(zone).slice(1);
  return inOrder([
    ...allAbove(zone, others),
    ...(rules.below.get(zone) ?? []),
    ...above.flatMap((each) => rules.at.get(each) ?? []),
  ]);
}

function inOrder(all: readonly Placed[]): Placed[] {
  return all.toSorted((a, b) => a.at - b.at);
}

/** What asks for a zone's names: the first that has them (plugin/forward/forward.go). */
export function forwardFor(zone: string, { forwards }: Parts): Placed | undefined {
  return allAbove(zone, forwards).find(({ directive }) => !exceptions(directive).some((one) => inZone(zone, one)));
}
