import { type OwnedZone, zoneOwner, zonesOfNamespaces } from "../cluster/zone-owners";
import { isArgument } from "../corefile/render";
import { type RewriteSide, sidesOf, zoneOfRewrite } from "../corefile/rewrites";
import type { FullProps, FullRewrite } from "../full-props/fill-in";
import { memberOf } from "../tenancy/membership";
import { canonicalName, inZone, isDNSName, reverseZones } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { addressFault, aliasProblems } from "./outside-names";
import { matcherOf, regexProblems } from "./regex";
import { about, type Given } from "./report";

/** Rules that CoreDNS refuses, that end in a loop, or whose names another key answers first. */
export function rewriteRules({ said }: Given): Problem[] {
  const { rewrites, clusterDomain } = said;
  const ownerOf = zoneOwner(said);
  const whole = rewrites.every(({ from, to }) => from !== undefined && to !== undefined);
  const rules = whole ? rewrites.map((each) => readRule(each, clusterDomain)) : [];
  return [
    ...rewrites.flatMap((each, i) => ofRule(each, ["rewrites", i])),
    ...rules.flatMap((each, i) => rewrittenTwice(each, i, rules, said)),
    ...rules.flatMap(({ sides }, i) =>
      about(["rewrites", i]).when(
        said.tenancy?.isolation === "hard" && sides.includes("cluster"),
        `may be for names of ${clusterDomain}, which tenancy.isolation: hard checks before they are rewritten; rewrite exact names, or a suffix that begins with a dot, outside it`,
      ),
    ),
    ...rewrites.flatMap(({ match, to }, i) => {
      const owner = match === "regex" ? undefined : tenantOf(to, said);
      return about(["rewrites", i, "to"]).when(
        said.tenancy?.isolation === "hard" && owner !== undefined,
        `${show(to)} is a name of tenant ${owner}, which tenancy.isolation: hard answers only to pods of its own that ask for it; lead to a namespace of no tenant`,
      );
    }),
    ...rewrites.flatMap((each, i) => {
      const names = zoneOfRewrite(each);
      const owner = names === undefined ? undefined : ownerOf(names);
      return about(["rewrites", i, "from"]).say(owner && passedBy(each.from, owner, clusterDomain));
    }),
    ...aliasProblems(said, (name) => {
      const rule = rules.findIndex(({ isFor }) => isFor(name));
      return rule < 0 ? undefined : `${show(name)} is rewritten first, by rewrites[${rule}]; keep one`;
    }),
  ];
}

/** Of names below the cluster domain, those of a stub domain are for none of the rules' two sides. */
function passedBy(from: string, { zone, key, isApart }: OwnedZone, domain: string): string | undefined {
  const passes = `${show(from)} is in ${zone}, which ${key} answers without looking at rewrites`;
  if (key === "tenancy" || key === "federation")
    return `${passes}; rewrite the name without ${zone.slice(0, zone.indexOf("."))}`;
  if (isApart) return `${passes}; say it there, as a record or a rewrite`;
  return key && inZone(zone, domain) ? `${passes}; leave it to its servers` : undefined;
}

/** The tenant that a name below `svc` of the cluster domain is of, by its namespace or as the tenant's own name. */
function tenantOf(to: string | undefined, { tenancy, clusterDomain }: FullProps): string | undefined {
  const services = `svc.${canonicalName(clusterDomain)}`;
  const name = canonicalName(to ?? "");
  if (!tenancy || !inZone(name, services)) return undefined;
  const [label = ""] = name
    .slice(0, -services.length - 1)
    .split(".")
    .slice(-1);
  // Names of the system's tenant are answered to everybody.
  const { tenants = [] } = tenancy;
  const isOwn = tenants.some((each) => each.name === label);
  return isOwn ? label : memberOf({ ...tenancy, tenants, systemTenant: undefined }, { name: label })?.tenant;
}

function ofRule({ match, from, to, answer }: FullRewrite, path: Problem["path"]): Problem[] {
  if (from === undefined || to === undefined) return [];
  const [ofFrom, ofTo] = [
    [...path, "from"],
    [...path, "to"],
  ];
  const faultOf = match === "exact" ? nameFault : partFault;
  return [
    ...(match === "regex"
      ? expression(from, ofFrom, to, ofTo)
      : [
          ...about(ofFrom).say(faultOf(from)),
          ...about(ofTo).say(faultOf(to) ?? (match === "suffix" ? dotsFault(from, to) : undefined)),
        ]),
    ...about([...path, "answer"]).when(
      match === "exact" && answer === "unchanged",
      "CoreDNS always changes answers to exact names back; leave it out",
    ),
    ...(typeof answer === "object"
      ? answer.flatMap((each, i) => {
          if (each.from === undefined || each.to === undefined) return [];
          const at = [...path, "answer", i];
          return expression(each.from, [...at, "from"], each.to, [...at, "to"]);
        })
      : []),
  ];
}

function nameFault(text: string): string | undefined {
  return isDNSName(text)
    ? addressFault(text)
    : `${show(text)} is not a DNS name; accepted: a name such as app.corp.example${text.startsWith("*.") ? `; for all names below, write match: suffix, and from: ${text.slice(1)}` : ""}`;
}

function partFault(text: string): string | undefined {
  return /^[-A-Za-z0-9_.]{1,253}$/.test(text) && !text.includes("..")
    ? undefined
    : `${show(text)} is not a part of a DNS name; accepted: letters, digits, - and _, and dots between them`;
}

/** `.a.example` to `b.example` would glue a label to the name. */
function dotsFault(from: string, to: string): string | undefined {
  return from.startsWith(".") === to.startsWith(".")
    ? undefined
    : `${show(to)} and ${show(from)} must both begin with a dot, or neither`;
}

function expression(from: string, ofFrom: Problem["path"], to: string, ofTo: Problem["path"]): Problem[] {
  const unwritable = [from, to].map((text) => text === "" || !isArgument(text));
  return [
    ...(unwritable[0]
      ? about(ofFrom).say(`${show(from)} has no spelling in a Corefile; leave out {$, and backslashes before quotes`)
      : regexProblems(from, ofFrom, { text: to, path: ofTo })),
    ...about(ofTo).when(
      unwritable[1] || !isDNSName(to.replace(/\{\d+\}/g, "x")),
      `${show(to)} is not a DNS name with groups; accepted: a name such as {1}.svc.cluster.local`,
    ),
  ];
}

export interface Rule {
  readonly to: string;
  readonly sides: ReturnType<typeof sidesOf>;
  readonly isFor: (name: string) => boolean;
}

export function readRule(rewrite: FullRewrite, domain: string): Rule {
  const { match, from, to } = rewrite;
  const [said, part] = [canonicalName(from), from.toLowerCase()];
  const matches: { readonly [match in typeof match]: () => (asked: string) => boolean } = {
    exact: () => (asked) => asked === `${said}.`,
    prefix: () => (asked) => asked.startsWith(part),
    suffix: () => (asked) => asked.endsWith(`${said}.`),
    substring: () => (asked) => asked.includes(part),
    regex: () => matcherOf(from),
  };
  const isAsked = matches[match]();
  return { to, sides: sidesOf(rewrite, domain), isFor: (name) => isAsked(`${canonicalName(name)}.`) };
}

/**
 * A name that goes from one side to the other is looked at again there, and the name of a tenant or of the federation again
 * without that: at worst for ever.
 */
function rewrittenTwice({ to, sides }: Rule, i: number, rules: readonly Rule[], said: FullProps): Problem[] {
  const domain = canonicalName(said.clusterDomain);
  const target = canonicalName(`${to.startsWith(".") ? "x" : ""}${to.replace(/\{\d+\}/g, "x")}`);
  const side: RewriteSide = [domain, ...reverseZones].some((zone) => inZone(target, zone)) ? "cluster" : "outside";
  const zone = zonesOfNamespaces(said)
    .map(canonicalName)
    .find((each) => inZone(target, each));
  const looked: readonly { readonly name: string; readonly side: RewriteSide }[] = [
    ...(sides.some((each) => each !== side) ? [{ name: target, side }] : []),
    ...(zone ? [{ name: `${target.slice(0, -zone.length)}svc.${domain}`, side }] : []),
  ];
  const again = rules.findIndex((each) =>
    looked.some(({ name, side: at }) => each.sides.includes(at) && each.isFor(name)),
  );
  return about(["rewrites", i, "to"]).when(
    again >= 0,
    `${show(to)} is rewritten again, by rewrites[${again}]; name what it becomes in the end`,
  );
}
