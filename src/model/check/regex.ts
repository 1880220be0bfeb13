import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about } from "./report";
import { orElse } from "../syntax/or-else";

/** CoreDNS takes at most so many characters (plugin/rewrite/name.go, plugin/template/setup.go). */
const longest = 10_000;

/** Letters and digits that may follow a backslash in Go (regexp/syntax), beside those of `\x`, `\p` and `\Q`. */
const escapes = "0AaBbDdfnrSstvWwz";

/** The most that Go repeats in one place (regexp/syntax). */
const mostRepeats = 1000;

/** A regular expression of Go, for names in lower case; undefined if Go could not read it. */
function readExpression(text: string): RegExp | undefined {
  const escaped = [...text.matchAll(/\\([A-Za-z\d]|.)/gs)].map(([, character = ""]) => character);
  const repeats = [...text.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, ...counts]) => counts.map(Number));
  if (escaped.some((each) => /\w/.test(each) && each !== "_" && !`${escapes}xpPQE`.includes(each))) return undefined;
  if (repeats.some((count) => count > mostRepeats) || /\(\?<?[=!]/.test(text)) return undefined;
  // Go names groups (?P<name>...), has flags wherever a group may be, quotes, and takes a `]` that is first in a class.
  const script = text
    .replace(/\\Q(.*?)(?:\\E|$)/gs, (_, literal: string) => literal.replace(/[^\w]/g, "\\$&"))
    .replace(/\(\?P</g, "(?<")
    .replace(/\(\?[imsU]*(?:-[imsU]+)?([:)])/g, (_, end: string) => (end === ":" ? "(?:" : "(?:)"))
    .replace(/\[(\^?)\]/g, "[$1\\]");
  return orElse(() => new RegExp(script), undefined);
}

/** What parentheses match: how many there are, and their names. */
export function groupsOf(text: string): { readonly count: number; readonly names: readonly string[] } {
  const match = new RegExp(`${readExpression(text)?.source ?? ""}|`).exec("");
  return { count: (match?.length ?? 1) - 1, names: Object.keys(match?.groups ?? {}) };
}

/** What is wrong with a regular expression, and with a replacement that has its groups. */
export function regexProblems(
  text: string,
  path: Problem["path"],
  to?: { text: string; path: Problem["path"] },
): Problem[] {
  const expression = text.length > longest ? undefined : readExpression(text);
  if (!expression)
    return about(path).say(
      `${show(text)} is not a regular expression of Go; accepted: at most ${longest} characters, without look-around and references`,
    );
  const used = [...(to?.text.matchAll(/\{(\d+)\}/g) ?? [])].map(([, n]) => Number(n));
  const [most, { count }] = [Math.max(0, ...used), groupsOf(text)];
  return to ? about(to.path).when(most > count, `{${most}} has no parentheses: ${show(text)} has ${count}`) : [];
}

/**
 * Whether names may match. An expression that only Go can read matches nothing. Nor does one that repeats a group, or more
 * than three times: on `(a+)+`, JavaScript may never end, and Go does.
 */
export function matcherOf(text: string): (name: string) => boolean {
  const isSlow = /\)[*+{]/.test(text) || text.split(/[*+{]/).length > 4;
  const expression = isSlow ? undefined : readExpression(text);
  return (name) => expression?.test(name) ?? false;
}
