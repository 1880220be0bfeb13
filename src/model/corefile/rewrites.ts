import type { FullRewrite } from "../full-props/fill-in";
import { canonicalName, inZone, reverseZones } from "../syntax/names";
import { plugin, type Directive } from "./corefile";
import { regexOf } from "./regex";

/** In which blocks a rule may find names: those of the cluster domain, those of all others. */
export type RewriteSide = "cluster" | "outside";

export function rewritesFor(rewrites: readonly FullRewrite[], side: RewriteSide, domain: string): Directive[] {
  return rewrites.filter((each) => sidesOf(each, domain).includes(side)).map(rewriteDirective);
}

/** A rule for one zone is for its side; others are for both, as for reverse names: a stub domain's are outside. */
export function sidesOf(rewrite: FullRewrite, domain: string): readonly RewriteSide[] {
  const zone = zoneOfRewrite(rewrite);
  if (zone === undefined) return ["cluster", "outside"];
  if (inZone(zone, domain)) return ["cluster"];
  if (reverseZones.some((reverse) => inZone(zone, reverse) || inZone(reverse, zone))) return ["cluster", "outside"];
  return inZone(domain, zone) && rewrite.match === "suffix" ? ["cluster", "outside"] : ["outside"];
}

/** The zone that has all names of a rule; undefined if they may be anywhere. */
export function zoneOfRewrite({ match, from }: { readonly match?: string; readonly from: string }): string | undefined {
  // One that is missing is refused elsewhere, but must not throw here.
  if (from === undefined) return undefined;
  if (match === "exact") return canonicalName(from);
  return match === "suffix" && from.startsWith(".") && from !== "." ? canonicalName(from.slice(1)) : undefined;
}

/** What finds the names of a rule, each with a dot at its end. */
export function expressionOf({ match, from }: FullRewrite): string {
  const part = regexOf(from.toLowerCase());
  const expressions: { readonly [match in typeof match]: string } = {
    exact: `^${part}\\.$`,
    suffix: `${part}\\.$`,
    prefix: `^${part}(.*)\\.$`,
    substring: `^(.*?)${part}(.*)\\.$`,
    regex: from,
  };
  return expressions[match];
}

/** CoreDNS puts a dot behind `from` and `to`: its own `prefix` and `substring` find only whole labels. */
function rewriteDirective(rewrite: FullRewrite): Directive {
  const { match, from, to, answer } = rewrite;
  const name: { readonly [match in typeof match]: readonly string[] } = {
    exact: ["exact", from, to],
    suffix: ["suffix", from, to],
    prefix: ["regex", expressionOf(rewrite), `${to}{1}.`],
    substring: ["regex", expressionOf(rewrite), `{1}${to}{2}.`],
    regex: ["regex", from, to],
  };
  const rules =
    typeof answer === "object" ? answer.flatMap(({ part, from: was, to: is }) => ["answer", part, was, is]) : [];
  // CoreDNS always does that for exact names.
  const auto = answer === "auto" && match !== "exact" ? ["answer", "auto"] : [];
  return plugin("rewrite", ["stop", "name", ...name[match], ...auto, ...rules]);
}
