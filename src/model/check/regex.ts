import { longestExpression, readGoExpression } from "../syntax/go-expression";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about } from "./report";

/** What parentheses match: how many there are, and their names. */
export function groupsOf(text: string): { readonly count: number; readonly names: readonly string[] } {
  const expression = readGoExpression(text);
  if ("fault" in expression) return { count: 0, names: [] };
  return { count: expression.read.groupCount(), names: Object.keys(expression.read.namedGroups()) };
}

export function regexProblems(
  text: string,
  path: Problem["path"],
  to?: { text: string; path: Problem["path"] },
): Problem[] {
  const expression = readGoExpression(text);
  if ("fault" in expression)
    return about(path).say(
      `${show(text)} is not a regular expression of Go: ${expression.fault}; accepted: RE2's syntax, which has no look-around and no references, in at most ${longestExpression} characters`,
    );
  const used = new Set([...(to?.text.matchAll(/\{(\d+)\}/g) ?? [])].map(([, n]) => Number(n)));
  const [most, count] = [Math.max(0, ...used), expression.read.groupCount()];
  // CoreDNS counts {0}, too (plugin/rewrite/name.go, `getSubExprUsage`).
  const tooFew = `{0} needs parentheses as well: ${show(text)} has ${count} for ${used.size}; write {1}, and parentheses around all of it`;
  const fault = most > count ? `{${most}} has no parentheses: ${show(text)} has ${count}` : tooFew;
  return to ? about(to.path).when(most > count || used.size > count, fault) : [];
}

/** Whether a name matches. An expression that Go cannot read matches nothing. */
export function matcherOf(text: string): (name: string) => boolean {
  const expression = readGoExpression(text);
  return (name) => "read" in expression && expression.read.matcher(name).find();
}
