import type { RE2JS } from "re2js";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about } from "./report";

/** CoreDNS takes at most so many characters (plugin/rewrite/name.go, plugin/template/setup.go). */
const longest = 10_000;

/** An expression as Go reads it, or why Go does not. */
type Expression = { readonly read: RE2JS } | { readonly fault: string };

/** Go's expressions are RE2's. Loaded for the first expression: few descriptions have one, and it takes milliseconds. */
function readExpression(text: string): Expression {
  if (text.length > longest) return { fault: `${text.length} characters` };
  const re2 = require("re2js") as typeof import("re2js");
  try {
    return { read: re2.RE2JS.compile(text) };
  } catch (error) {
    if (!(error instanceof re2.RE2JSException)) throw error;
    return { fault: error.message };
  }
}

/** What parentheses match: how many there are, and their names. */
export function groupsOf(text: string): { readonly count: number; readonly names: readonly string[] } {
  const expression = readExpression(text);
  if ("fault" in expression) return { count: 0, names: [] };
  return { count: expression.read.groupCount(), names: Object.keys(expression.read.namedGroups()) };
}

/** What is wrong with a regular expression, and with a replacement that has its groups. */
export function regexProblems(
  text: string,
  path: Problem["path"],
  to?: { text: string; path: Problem["path"] },
): Problem[] {
  const expression = readExpression(text);
  if ("fault" in expression)
    return about(path).say(
      `${show(text)} is not a regular expression of Go: ${expression.fault}; accepted: RE2's syntax, which has no look-around and no references, in at most ${longest} characters`,
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
  const expression = readExpression(text);
  return (name) => "read" in expression && expression.read.matcher(name).find();
}
