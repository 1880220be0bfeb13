import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { problem, when } from "./report";

/** CoreDNS takes at most so many characters (plugin/rewrite/name.go, plugin/template/setup.go). */
const longest = 10_000;

/** How many groups a regular expression in Go's syntax has; undefined if Go could not read it. */
function groupsOf(text: string): number | undefined {
  // Go names groups (?P<name>...), and has flags in front; it has no look-around and no references.
  const script = text.replace(/\(\?P</g, "(?<").replace(/^\(\?[imsU]+\)/, "");
  if (/\(\?(<?[=!])/.test(script) || /\\(?:[1-9]|k<)/.test(script) || /[*+?}][+]/.test(script)) return undefined;
  try {
    new RegExp(script);
    return (new RegExp(`${script}|`).exec("")?.length ?? 1) - 1;
  } catch {
    return undefined;
  }
}

/** What is wrong with a regular expression, and with a replacement that has its groups. */
export function regexProblems(
  text: string,
  path: Problem["path"],
  to?: { text: string; path: Problem["path"] },
): Problem[] {
  const groups = text.length > longest ? undefined : groupsOf(text);
  if (groups === undefined)
    return [
      problem(
        path,
        `${show(text)} is not a regular expression of Go; accepted: at most ${longest} characters, without look-around and references`,
      ),
    ];
  const used = [...(to?.text.matchAll(/\{(\d+)\}/g) ?? [])].map(([, n]) => Number(n));
  const most = Math.max(0, ...used);
  return to ? when(most > groups, to.path, `{${most}} has no parentheses: ${show(text)} has ${groups}`) : [];
}

/** Whether a name may match; an expression that only Go can read matches nothing. */
export function mayMatch(text: string, name: string): boolean {
  if (groupsOf(text) === undefined) return false;
  return new RegExp(text.replace(/\(\?P</g, "(?<").replace(/^\(\?[imsU]+\)/, "")).test(name);
}
