import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { aboutKey, problem } from "./report";

/**
 * Text that is never allowed anywhere in a description: what Flux would replace, and what would end a line of the
 * output. Only annotations, zone files, certificates and Corefile text may have several lines.
 */
export function textProblems(value: unknown, path: Problem["path"] = []): Problem[] {
  if (typeof value === "string") return problemsOf(value, path);
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, i) => textProblems(item, [...path, i]));
  return Object.entries(value).flatMap(([key, child]) => [
    ...aboutKey(problemsOf(key, [...path, key])),
    ...textProblems(child, [...path, key]),
  ]);
}

function problemsOf(text: string, path: Problem["path"]): Problem[] {
  const [replaced] = /\$[{$]/.exec(text) ?? [];
  if (replaced !== undefined)
    return [problem(path, `${show(text)} holds ${replaced}, which Flux would replace; write the value out`)];
  const [first, second, third] = path;
  const refused =
    first === "annotations"
      ? /\p{Cs}/u
      : (first === "zones" && third === "file") || second === "corefile" || path.at(-1) === "tlsCA"
        ? /(?![\n\t])\p{Cc}|[\p{Cs}\u2028\u2029]/u
        : /[\p{Cc}\p{Cs}\u2028\u2029]/u;
  return refused.test(text)
    ? [problem(path, `${show(text)} holds a line break or another control character; leave it out`)]
    : [];
}
