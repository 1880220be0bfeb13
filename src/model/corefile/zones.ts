import { defaults } from "../defaults";
import type { FullZone } from "../full-props/fill-in";
import type { ZoneRecords, ZoneTemplate } from "../props/special-names";
import { canonicalName } from "../syntax/names";
import { bufsize, plugin, serverBlock, startOfAuthority, type Corefile, type Directive } from "./corefile";
import { ofFamilies } from "./families";
import { configFolder, maxConcurrent } from "./forward";
import { forwardAround, type OutsideNames } from "./outside-names";
import { maxConcurrentOverTcp, overUdp } from "./over-udp";
import { noSuchName } from "./tenant-names";

/** A zone that CoreDNS answers itself, not by asking its servers. */
export interface AnsweredZone extends FullZone {
  /** As in DNS: lower case, without a dot at its end. */
  readonly zone: string;
}

/** Sorted by zone. */
export function answeredZones(zones: { readonly [zone: string]: FullZone }): AnsweredZone[] {
  return Object.entries(zones)
    .filter(([, { forward }]) => forward === undefined)
    .map(([zone, options]) => ({ ...options, zone: canonicalName(zone) }))
    .sort((a, b) => (a.zone < b.zone ? -1 : 1));
}

/** Server blocks of zones. @param first The first plugins of each. */
export function zoneBlocks(
  zones: readonly AnsweredZone[],
  outside: OutsideNames,
  first: readonly Directive[],
): Corefile {
  return zones.flatMap((each): Corefile => {
    const block = (then: readonly Directive[], view?: Directive) =>
      serverBlock([each.zone], [bufsize, ...first, ...ofFamilies(outside.families), ...answering(each), ...then], {
        view,
      });
    if (!each.fallthrough) return [block(each.templates ? [noSuchName(each.zone, each.ttl)] : [])];
    return [
      block([forwardAround(outside, maxConcurrent, each.zone)], overUdp),
      block([forwardAround(outside, maxConcurrentOverTcp, each.zone)]),
    ];
  });
}

function answering(zone: AnsweredZone): Directive[] {
  if (zone.templates) return [...zone.templates, ...withoutOtherTypes(zone.templates)].map(template);
  // In an immutable ConfigMap: read once, and missing it is an error.
  const options = [plugin("reload", [0]), ...(zone.fallthrough ? [plugin("fallthrough")] : [])];
  return [plugin("file", [`${configFolder}/${zoneFileName(zone)}`, zone.zone], options)];
}

/** A name that has a record has no NXDOMAIN for the other types: musl takes that for the whole name. */
function withoutOtherTypes(templates: readonly FullTemplate[]): FullTemplate[] {
  return templates.flatMap((each) => {
    const { match, rcode } = each;
    const isEnough = typeOf(each) === "ANY" || rcode !== "NOERROR";
    return isEnough ? [] : [match === undefined ? { rcode } : { match, rcode }];
  });
}

type FullTemplate = NonNullable<FullZone["templates"]>[number];

/** A name that one does not match goes on to the next. */
function template(each: FullTemplate): Directive {
  const { match, answer = [], rcode } = each;
  return plugin(
    "template",
    ["IN", typeOf(each)],
    [
      ...(match === undefined ? [] : [plugin("match", [match]), plugin("fallthrough")]),
      ...answer.map((record) => plugin("answer", [record])),
      ...(rcode === defaults.zoneTemplate.rcode ? [] : [plugin("rcode", [rcode])]),
    ],
  );
}

/** Those whose records answer only questions of their type: a CNAME answers every one. */
const ownTypes = ["A", "AAAA", "TXT", "MX", "SRV", "PTR"] as const;

/** Without one that is said, the type of its records, if it is one: others would be no answer to strict resolvers. */
export function typeOf({ type, answer = [] }: ZoneTemplate): NonNullable<ZoneTemplate["type"]> {
  const types = new Set(answer.map((record) => /\sIN\s+(\w+)\s/.exec(record)?.[1]));
  const [only] = types.size === 1 ? types : [];
  return type ?? ownTypes.find((each) => each === only) ?? "ANY";
}

function zoneFileName({ zone }: AnsweredZone): string {
  return `db.${zone}`;
}

export function zoneFiles(zones: readonly AnsweredZone[] = []): { readonly [file: string]: string } {
  return Object.fromEntries(
    zones.flatMap((each) => {
      const text = each.file ?? (each.records && zoneFile(each));
      return text === undefined ? [] : [[zoneFileName(each), text]];
    }),
  );
}

function zoneFile(zone: AnsweredZone): string {
  const { ttl } = zone;
  const origin = `${zone.zone}.`;
  const records = Object.entries(zone.records ?? {}).flatMap(([name, types]) =>
    recordsOf(types).map(([type, data]) => `${name} IN ${type} ${data}`),
  );
  return [`$ORIGIN ${origin}`, `$TTL ${ttl}`, `@ ${startOfAuthority(origin, ttl)}`, ...records, ""].join("\n");
}

function recordsOf({ TXT = [], ...others }: ZoneRecords): [type: string, data: string][] {
  return [
    ...Object.entries(others).flatMap(([type, data]: [string, string | readonly string[]]) =>
      [data].flat().map((each): [string, string] => [type, each]),
    ),
    ...TXT.map((text): [string, string] => ["TXT", inStrings(text)]),
  ];
}

/** A string of a TXT record has at most 255 bytes. */
function inStrings(text: string): string {
  const parts = text.match(/.{1,255}/gs) ?? [""];
  return parts.map((part) => `"${part.replace(/["\\]/g, String.raw`\$&`)}"`).join(" ");
}
