import type { WrittenDirective } from "../corefile/corefile";
import { regexOf } from "../corefile/regex";
import type { AnswerRewrite, Rewrite } from "../props/special-names";

/** `rewrite name` as our key says it; undefined for other rules, and for one after which others follow. */
export function rewriteRule(directive: WrittenDirective): Rewrite | undefined {
  const [field, ...rule] = wordsOf(directive);
  const [match = "", ...others] = rule;
  const isNamed = Object.hasOwn(byMatch, match);
  const [from, to, ...answers] = isNamed ? others : rule;
  const answer = answerOf(answers);
  if (field !== "name" || from === undefined || to === undefined || answer === undefined) return undefined;
  const read = byMatch[isNamed ? match : "exact"]?.(from, to);
  // CoreDNS always changes the answers of exact names back.
  const isUsual = read?.match === "exact" ? typeof answer === "string" : answer === "auto";
  return read && { ...read, ...(!isUsual && { answer }) };
}

/** `rewrite stop { name ...; answer ... }` */
function wordsOf({ args, options }: WrittenDirective): string[] {
  const words = args[0] === "stop" ? args.slice(1) : args;
  return [...words, ...options.flatMap(({ name, args: more }) => [name, ...more])];
}

/** What a rule replaces wherever a name has it, which our key does once (plugin/rewrite/name.go, `substringNameRule`). */
export function replacedAgain(directive: WrittenDirective): string | undefined {
  const [field, match, from, to] = wordsOf(directive);
  return field === "name" && match === "substring" ? `${from} ${to}` : undefined;
}

/** One spelling for each rule. */
export function textOfRule({ match = "exact", from, to, answer = "auto" }: Rewrite): string {
  const rules =
    typeof answer === "string" ? [answer] : answer.flatMap(({ part, from: was, to: is }) => [part, was, is]);
  return ["name", match, from, to, ...(match === "exact" && answer === "auto" ? [] : ["answer", ...rules])].join(" ");
}

/** CoreDNS puts a dot behind both names, and behind what `regex` makes (plugin/rewrite/name.go, Normalize). */
const byMatch: { readonly [match: string]: (from: string, to: string) => Rewrite & { readonly match: string } } = {
  exact: (from, to) => ({ match: "exact", from: undotted(from), to: undotted(to) }),
  suffix: (from, to) => ({ match: "suffix", from: undotted(from), to: undotted(to) }),
  prefix: (from, to) => ({ match: "regex", from: `^${labels(from)}${rest}`, to: `${undotted(to)}{1}` }),
  substring: (from, to) => ({ match: "regex", from: `^(.*?)${labels(from)}${rest}`, to: `{1}${undotted(to)}{2}` }),
  regex: (from, to) => ({ match: "regex", from, to }),
};

/** Further labels, with the dot in front of them in place of the last. */
const rest = String.raw`((?:\..*)?)\.$`;

function labels(name: string): string {
  return regexOf(undotted(name).toLowerCase());
}

function undotted(name: string): string {
  return name.replace(/\.$/, "");
}

/** Without any, names of answers stay; undefined for what our key does not have. */
function answerOf(words: readonly string[]): Rewrite["answer"] | undefined {
  if (words.length === 0) return "unchanged";
  if (words.join(" ") === "answer auto") return "auto";
  const rules: AnswerRewrite[] = [];
  for (let i = 0; i < words.length; i += 4) {
    const [keyword, part, from, to] = words.slice(i, i + 4);
    if (keyword !== "answer" || (part !== "name" && part !== "value") || to === undefined) return undefined;
    rules.push({ part, from: from ?? "", to });
  }
  return rules;
}
