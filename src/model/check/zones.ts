import { zoneOwner } from "../cluster/zone-owners";
import { isArgument } from "../corefile/render";
import type { Zone, ZoneRecords, ZoneTemplate } from "../props/special-names";
import { familyOf } from "../syntax/addresses";
import { canonicalName, inZone, isDNSName } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { addressFault, aliasProblems, zoneProblems } from "./outside-names";
import { groupsOf, regexProblems } from "./regex";
import { about, aboutKey, type Given } from "./report";

export function zoneRules({ props: { zones = {} }, said }: Given): Problem[] {
  const ownerOf = zoneOwner(said);
  return [
    ...aboutKey(zoneProblems("zones", said)),
    ...Object.entries(zones).flatMap(([zone, options]) => [
      ...ofZone(options, ["zones", zone]),
      ...aboutKey(ofNames(Object.keys(options.records ?? {}), zone)),
      ...Object.entries(options.records ?? {}).flatMap(([name, types]) =>
        ofTargets(types, zone, ["zones", zone, "records", name]),
      ),
    ]),
    ...aliasProblems(said, (name) => {
      const owner = ownerOf(name);
      return owner?.isApart
        ? `${show(name)} is in ${owner.zone}, which ${owner.key} answers without looking at hostAliases; say it there, as a record or in hosts`
        : undefined;
    }),
  ];
}

const kinds = ["forward", "records", "file", "templates"] as const;

function ofZone(zone: Zone, path: Problem["path"]): Problem[] {
  const said = kinds.filter((kind) => zone[kind] !== undefined);
  const { forward, records = {}, templates = [], fallthrough, ttl } = zone;
  return [
    ...about(path).when(
      said.length !== 1,
      `has ${said.join(" and ") || "nothing"}; accepted: one of ${kinds.join(", ")}`,
    ),
    ...about([...path, "fallthrough"]).when(
      forward !== undefined && fallthrough === true,
      "forward asks for all names of the zone",
    ),
    ...about([...path, "ttl"]).when(
      ttl !== undefined && zone.records === undefined,
      "is for records, and there are none",
    ),
    ...Object.entries(records).flatMap(([name, types]) => ofRecords(name, types, [...path, "records", name])),
    ...templates.flatMap((each, i) => ofTemplate(each, [...path, "templates", i])),
  ];
}

/** Names of records, which end in their zone unless they end in a dot. */
function ofNames(names: readonly string[], zone: string): Problem[] {
  const whole = names.map((name) => canonicalName(name === "@" ? zone : name.endsWith(".") ? name : `${name}.${zone}`));
  return names.flatMap((name, i) => {
    const path = ["zones", zone, "records", name];
    const first = whole.indexOf(whole[i] ?? "");
    return [
      ...about(path).when(
        !inZone(whole[i] ?? "", zone),
        `${show(name)} is not in ${zone}, so nobody would get its records`,
      ),
      ...about(path).when(
        !name.endsWith(".") && inZone(name, zone),
        `${show(name)} would be ${whole[i]}; leave ${zone} out, or end it with a dot`,
      ),
      ...about(path).when(first < i, `${show(name)} is the same name as ${show(names[first])}; keep one`),
    ];
  });
}

/** Names that records hold, which end in their zone unless they end in a dot. */
function ofTargets(
  { CNAME, MX = [], SRV = [], PTR = [] }: ZoneRecords,
  zone: string,
  path: Problem["path"],
): Problem[] {
  const ofTarget = (value: string, ...at: Problem["path"]) => {
    const name = value.split(" ").at(-1) ?? "";
    const isRelative = !name.endsWith(".");
    const isWhole = isRelative && inZone(name, zone);
    // Names of reverse zones are made of numbers.
    const fault = isRelative && inZone(zone, "arpa") ? undefined : addressFault(name);
    return about([...path, ...at]).say(
      isWhole ? `${show(name)} would be ${name}.${zone}; leave ${zone} out, or end it with a dot` : fault,
    );
  };
  return [
    ...(CNAME === undefined ? [] : ofTarget(CNAME, "CNAME")),
    ...MX.flatMap((value, i) => ofTarget(value, "MX", i)),
    ...SRV.flatMap((value, i) => ofTarget(value, "SRV", i)),
    ...PTR.flatMap((value, i) => ofTarget(value, "PTR", i)),
  ];
}

function ofRecords(name: string, types: ZoneRecords, path: Problem["path"]): Problem[] {
  const { CNAME } = types;
  return [
    ...aboutKey(
      about(path).when(
        name !== "@" && !isDNSName(name.replace(/^\*(\.|$)/, "x$1")),
        `${show(name)} is not a name in the zone; accepted: www, *.apps or @`,
      ),
    ),
    ...about(path).when(
      Object.keys(types).length === 0,
      "has no records; accepted: A, AAAA, CNAME, TXT, MX, SRV or PTR",
    ),
    ...about([...path, "CNAME"]).when(
      CNAME !== undefined && Object.keys(types).length > 1,
      "a name with a CNAME has no other records",
    ),
    ...about([...path, "CNAME"]).when(
      CNAME !== undefined && name === "@",
      "the zone itself has an SOA record, and no CNAME beside it",
    ),
  ];
}

/** What a record may have of the question. */
const filledIn = /\{\{-?\s*(\.(Name|Zone|Type|Class)|\.Group\.\w+|index \.Match \d+)\s*-?\}\}/g;

/** Those of records that CoreDNS writes; it does not answer with a record that it cannot read. */
const recordTypes = [
  "A",
  "AAAA",
  "CNAME",
  "TXT",
  "MX",
  "SRV",
  "PTR",
  "NS",
  "SOA",
  "CAA",
  "SVCB",
  "HTTPS",
  "DNAME",
  "NAPTR",
];

function recordFault(record: string, match: string): string | undefined {
  const [, ttl, type = "", value = ""] = /^.+? (\d+) IN ([A-Z]+) (.+)$/.exec(record) ?? [];
  const family = { A: "IPv4", AAAA: "IPv6" }[type];
  const { count, names } = groupsOf(match);
  const used = [...record.matchAll(filledIn)].map(([text]) => text);
  const unknown = used.find((text) => {
    const [, name, index] = /\.Group\.(\w+)|\.Match (\d+)/.exec(text) ?? [];
    return (name !== undefined && !names.includes(name)) || Number(index ?? 0) > count;
  });
  if (Number(ttl) > 2 ** 31 - 1) return `TTL ${ttl} is too long`;
  if (!recordTypes.includes(type)) return `type ${type} is unknown; accepted: ${recordTypes.join(", ")}`;
  if (family && used.every((text) => !value.includes(text)) && familyOf(value) !== family)
    return `${show(value)} is not an ${family} address`;
  return unknown === undefined ? undefined : `${unknown} is nothing: match has no such parentheses`;
}

function ofTemplate({ match, answer = [] }: ZoneTemplate, path: Problem["path"]): Problem[] {
  return [
    ...(match === undefined
      ? []
      : match !== "" && isArgument(match)
        ? regexProblems(match, [...path, "match"])
        : about([...path, "match"]).say(`${show(match)} has no spelling in a Corefile`)),
    ...answer.flatMap((record, i) => about([...path, "answer", i]).say(answerFault(record, match))),
  ];
}

function answerFault(record: string, match = ""): string | undefined {
  const filled = record.replace(filledIn, "x");
  if (!/^\S+ \d+ IN [A-Z]+ ./.test(filled) || /\{\{|\}\}/.test(filled) || !isArgument(record))
    return `${show(record)} is no record; accepted: name, TTL, IN, type and value, such as "{{ .Name }} 60 IN A 10.1.2.3", with {{ .Name }}, {{ .Zone }}, {{ .Group.NAME }} or {{ index .Match 1 }} in it`;
  const fault = recordFault(record, match);
  return fault && `${show(record)}: ${fault}`;
}
