import type { Asked, Fact } from "./answers";
import { inZone, reverseZones } from "../syntax/names";
import { grouped } from "../syntax/grouped";
import { show } from "../syntax/show";
import { firstOf, some } from "../syntax/some";
import { pluginRule } from "../corefile/plugins";
import { zoneOfRewrite } from "../corefile/rewrites";
import { isOperation, noAAAA } from "./plugin-facts";

type Refused = ReadonlyMap<object, string>;

/** In place of a reason: the plugin's block is listed as a whole. */
export const ofRefusedBlock = "";

/**
 * What pods get today that they do not get with ours, in CoreDNS's words. What Kubernetes itself gives every cluster,
 * nobody has chosen, and ours may say otherwise.
 * @param usual What Kubernetes has given clusters.
 * @param refused Why a plugin is not in ours.
 */
export function differentAnswers(theirs: Asked, ours: Asked, usual: readonly Asked[], refused: Refused): string[] {
  const rules = rulesOfOurs(theirs, ours);
  const known = new Set(theirs.facts(".").map(text));
  const ofRules = rules.flatMap((rule) => (known.has(text(rule)) ? [] : (zoneOfLine(rule.value) ?? [])));
  const zones = new Set([".", ...theirs.zones, ...ofRules, ...reverseZones]);
  const [somewhere] = theirs.zones.flatMap((zone) => theirs.facts(zone).slice(0, 1));
  const lines = [...zones].flatMap((zone) => {
    const said = theirs.facts(zone);
    const wanted = answersIn(said).filter((fact) => fact.plugin !== "rewrite" || mayRewrite(fact, zone, theirs));
    const have = answersIn(ours.facts(zone));
    const ofNobody = [...rules, ...usual.flatMap((each) => each.facts(zone))];
    const at = said[0] ?? somewhere;
    const ofOurs = have.filter(
      (fact) => mayConcern(fact, zone) && !(fact.plugin === "hosts" && isOfLonger(fact, zone, zones)),
    );
    const found = [...missing(wanted, have, ofNobody, refused), ...(at ? onlyIn(ofOurs, wanted, at) : [])];
    return found.map((line) => ({ ...line, zone }));
  });
  return grouped(lines, ({ at, says }) => `${at.where}: ${says}`).map(
    ([line, all]) => `${line}${suffix(all[0].at, [...new Set(all.map(({ zone }) => zone))])}`,
  );
}

interface Line {
  readonly at: Fact;
  readonly says: string;
}

/** What theirs says of a zone's names, and ours does not, nor Kubernetes for everybody. */
export function lostIn(zone: string, theirs: Asked, ours: Asked, usual: readonly Asked[]): Fact[] {
  const known = new Set([...ours.facts(zone), ...usual.flatMap((each) => each.facts(zone))].map(text));
  return theirs.facts(zone).filter((fact) => !isCapacity(fact) && !known.has(text(fact)));
}

/** For how long answers are kept does not matter. @param counts What else matters. */
export function isOtherwise(
  zone: string,
  theirs: Asked,
  ours: Asked,
  usual: readonly Asked[],
  counts: (fact: Fact) => boolean,
): boolean {
  const isMeant = (fact: Fact) =>
    counts(fact) && fact.plugin !== "cache" && pluginRule(fact.plugin)?.whose !== "refused" && mayConcern(fact, zone);
  const lost = lostIn(zone, theirs, ours, usual).filter(isMeant);
  const more = lostIn(zone, ours, theirs, usual).filter((fact) => isMeant(fact) && !isOperation(fact.plugin));
  return lost.length > 0 || more.length > 0;
}

/** Whether a rule, an entry of `hosts`, or anything else is for names of a zone: no reverse name has an AAAA. */
function mayConcern({ plugin, option, value }: Fact, zone: string): boolean {
  if (plugin === "hosts") return option === "entry" && (zone.endsWith(".arpa") || inZone(nameOfEntry(value), zone));
  if (value === noAAAA) return !zone.endsWith(".arpa");
  const names = plugin === "rewrite" ? zoneOfLine(value) : undefined;
  return names === undefined || inZone(names, zone) || inZone(zone, names);
}

/** Of `10.1.2.3 app.corp.example`. */
function nameOfEntry(value: string): string {
  return value.split(" ")[1] ?? "";
}

/** Whether a longer zone than this one has the name of an entry. */
function isOfLonger({ value }: Fact, zone: string, zones: ReadonlySet<string>): boolean {
  const name = nameOfEntry(value);
  return (
    !zone.endsWith(".arpa") && [...zones].some((each) => each !== zone && inZone(each, zone) && inZone(name, each))
  );
}

/** Whether a rule of a zone's block sees any query: not for names that a block of a longer zone takes. */
function mayRewrite(rule: Fact, zone: string, { facts, zones }: Asked): boolean {
  const names = zoneOfLine(rule.value);
  const isTaken = (longer: string) =>
    names !== undefined &&
    inZone(names, longer) &&
    inZone(longer, zone) &&
    !facts(longer).some((each) => text(each) === text(rule));
  return mayConcern(rule, zone) && !zones.some(isTaken);
}

/** Ours has a rule only in the blocks whose names it may find. */
function rulesOfOurs(theirs: Asked, ours: Asked): Fact[] {
  const rulesIn = (asked: Asked, zones: readonly string[]) =>
    zones.flatMap((zone) => asked.facts(zone)).filter(({ plugin }) => plugin === "rewrite");
  const ofOneZone = new Map(
    rulesIn(theirs, [".", ...theirs.zones]).flatMap((rule) => {
      const zone = zoneOfLine(rule.value);
      return zone === undefined ? [] : [[text(rule), { rule, zone }] as const];
    }),
  );
  return [
    ...rulesIn(ours, ours.zones).filter(({ where }) => where === ""),
    ...[...ofOneZone.values()]
      .filter(({ rule, zone }) => ours.facts(zone).some((each) => text(each) === text(rule)))
      .map(({ rule }) => rule),
  ];
}

/** Whose answers a node cache past the cluster's DNS would change, but for how long they are kept. */
export function zonesLost(theirs: Asked, ours: Asked, usual: readonly Asked[], domain: string): readonly string[] {
  const outside = [".", ...theirs.zones].filter(
    (zone) => !inZone(zone, domain) && !reverseZones.some((each) => each === zone),
  );
  const lost = outside.flatMap((zone) => {
    const changed = new Set(lostIn(zone, theirs, ours, usual));
    const facts = answersIn(theirs.facts(zone)).filter(
      (fact) =>
        changed.has(fact) && fact.plugin !== "cache" && (fact.plugin !== "rewrite" || mayRewrite(fact, zone, theirs)),
    );
    // Of a rule for one name, or one zone, only that is asked there.
    const ofRules = facts.map((fact) => (fact.plugin === "rewrite" ? zoneOfLine(fact.value) : undefined) ?? zone);
    return ofRules.filter((each) => !inZone(each, domain));
  });
  return [...new Set(lost)];
}

/** Of `exact a.example b.example`, `suffix .a.example .b.example answer auto`. */
function zoneOfLine(rule: string): string | undefined {
  const [match = "", from = ""] = rule.split(" ");
  return zoneOfRewrite({ match, from });
}

/** Which names a line is about, where that is not all, nor plain from its server block. */
function suffix({ namedZones }: Fact, zones: readonly string[]): string {
  if (zones.includes(".") || zones.join(" ") === namedZones.join(" ")) return "";
  return ` (${some(zones, 3)})`;
}

/** How CoreDNS itself is run, which no name shows. */
export function differentOperation(theirs: Asked, ours: Asked, usual: readonly Asked[], refused: Refused): string[] {
  const of = (asked: Asked) =>
    [".", ...asked.zones]
      .flatMap((zone) => asked.facts(zone))
      .filter((fact) => isOperation(fact.plugin) || isCapacity(fact));
  const lost = missing(of(theirs), of(ours), usual.flatMap(of), refused);
  return [...new Set(lost.map(({ at, says }) => `${at.where}: ${says}`))];
}

/** Names that `kubernetes` or `file` answers come from memory, and reach no `forward` unless it passes them on. */
function answersIn(facts: readonly Fact[]): Fact[] {
  const fromMemory = facts.filter(({ plugin }) => plugin === "kubernetes" || plugin === "file");
  const isFinal = fromMemory.some(({ option, value }) => option === "fallthrough" && value === "no");
  const isMoot = ({ plugin }: Fact) =>
    (plugin === "cache" && fromMemory.length > 0) || (plugin === "forward" && isFinal);
  return facts.filter((fact) => !isOperation(fact.plugin) && !isCapacity(fact) && !isMoot(fact));
}

function isCapacity({ plugin, option }: Fact): boolean {
  return plugin === "cache" && option.endsWith(" capacity");
}

function missing(wanted: readonly Fact[], have: readonly Fact[], ofNobody: readonly Fact[], refused: Refused): Line[] {
  const why = ({ directive }: Fact) => (refused.get(directive) ? `: ${refused.get(directive)}` : "");
  // Servers that nobody chose are still others than those that ours asks.
  const isAsked = (fact: Fact) => fact.plugin === "forward" && fact.option === "to";
  const known = new Set([...have, ...ofNobody.filter((fact) => !isAsked(fact))].map(text));
  const lost = wanted.filter((fact) => !known.has(text(fact)));
  const isPart = ({ plugin }: Fact) => have.some((fact) => fact.plugin === plugin);
  const whole = lost.filter((fact) => !isPart(fact) && refused.get(fact.directive) !== ofRefusedBlock);
  const read = new Set(whole.filter(({ option }) => option !== "").map(({ plugin }) => plugin));
  return [
    // A plugin that ours has not at all, with all that it says.
    ...[...read].flatMap((plugin) => {
      const said = wanted.filter((fact) => fact.plugin === plugin);
      return said.slice(0, 1).map((at) => ({ at, says: `${plugin} ${shown(said)}${why(at)}` }));
    }),
    ...whole.filter(({ plugin }) => !read.has(plugin)).map((at) => ({ at, says: `${text(at)}${why(at)}` })),
    ...lost.filter(isPart).map((at) => {
      const instead = have.filter(({ plugin, option }) => plugin === at.plugin && option === at.option);
      const because = isAsked(at) || ["", "file"].includes(at.option) ? why(at) : "";
      const ours = shown(instead);
      return { at, says: `${text(at)}${ours === "" ? "" : `; ours: ${ours}`}${because}` };
    }),
  ];
}

/** What ours would answer, or keep, where theirs does not. */
function onlyIn(have: readonly Fact[], wanted: readonly Fact[], at: Fact): Line[] {
  const known = new Set(wanted.map(text));
  const isThere = ({ plugin }: Fact) => wanted.some((fact) => fact.plugin === plugin);
  const more = have.filter((fact) => !isThere(fact) || (fact.option === "entry" && !known.has(text(fact))));
  return grouped(more.toReversed(), ({ plugin }) => plugin).map(([plugin, facts]) => ({
    at,
    says:
      plugin === "kubernetes"
        ? "no kubernetes for these names; ours answers those of the cluster"
        : `no ${isThere(facts[0]) ? "such entry of " : ""}${plugin}; ours: ${shown(facts.toReversed())}`,
  }));
}

function shown(facts: readonly Fact[]): string {
  // A zone file has lines.
  const onOneLine = (value: string) => (value.includes("\n") ? show(value) : value);
  const all = [...new Set(facts.map(({ option, value }) => [option, onOneLine(value)].filter(Boolean).join(" ")))];
  // More than a plugin has options; `hosts` may have any number of entries.
  return firstOf(all, 25).join(", ");
}

/** `forward policy random`, or `log . {type}` for a plugin that is not read by option. */
function text({ plugin, option, value }: Fact): string {
  return [plugin, option, value].filter(Boolean).join(" ");
}
