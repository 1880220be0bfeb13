import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about } from "./report";
import { orElse } from "../syntax/or-else";

/** CoreDNS takes at most so many characters (plugin/rewrite/name.go, plugin/template/setup.go). */
const longest = 10_000;

/** Letters and digits that may follow a backslash in Go (regexp/syntax), beside those of `\x`, `\p` and `\Q`. */
const escapes = "0AaBbDdfnrSstvWwz";

/** The most that Go repeats, also by repetitions of repetitions (regexp/syntax, `repeatIsValid`). */
const mostRepeats = 1000;

/** A regular expression of Go, for names in lower case; undefined if Go could not read it. */
function readExpression(text: string): RegExp | undefined {
  const escaped = [...text.matchAll(/\\([A-Za-z\d]|.)/gs)].map(([, character = ""]) => character);
  if (escaped.some((each) => /\w/.test(each) && each !== "_" && !`${escapes}xpPQE`.includes(each))) return undefined;
  if (repeats(text) > mostRepeats || /\(\?<?[=!]/.test(text)) return undefined;
  // Go names groups (?P<name>...), has flags wherever a group may be, quotes, and takes a `]` that is first in a class.
  const script = text
    .replace(/\\Q(.*?)(?:\\E|$)/gs, (_, literal: string) => literal.replace(/[^\w]/g, "\\$&"))
    .replace(/\(\?P</g, "(?<")
    .replace(/\(\?[imsU]*(?:-[imsU]+)?([:)])/g, (_, end: string) => (end === ":" ? "(?:" : "(?:)"))
    .replace(/\[(\^?)\]/g, "[$1\\]");
  return orElse(() => new RegExp(script), undefined);
}

/** How often something is repeated at most, where a `*` or `+` counts for once. */
function repeats(text: string): number {
  const outer: number[] = [];
  // Of all that is in the same parentheses, and of what comes last there.
  let [most, last] = [1, 1];
  const tokens = /\\.|\[\^?\]?(?:\\.|[^\]])*\]|\{(\d+)(?:,(\d*))?\}|./gs;
  for (const [token, least, upTo] of text.matchAll(tokens)) {
    if (token === "(") {
      outer.push(most);
      most = 1;
    } else if (token === ")") {
      last = most;
      most = outer.pop() ?? 1;
    } else if (least === undefined) last = 1;
    else last *= Math.max(1, Number(upTo || least));
    most = Math.max(most, last);
  }
  return most;
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
  const used = new Set([...(to?.text.matchAll(/\{(\d+)\}/g) ?? [])].map(([, n]) => Number(n)));
  const [most, { count }] = [Math.max(0, ...used), groupsOf(text)];
  // CoreDNS counts {0}, too (plugin/rewrite/name.go, `getSubExprUsage`).
  const tooFew = `{0} needs parentheses as well: ${show(text)} has ${count} for ${used.size}; write {1}, and parentheses around all of it`;
  const fault = most > count ? `{${most}} has no parentheses: ${show(text)} has ${count}` : tooFew;
  return to ? about(to.path).when(most > count || used.size > count, fault) : [];
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
