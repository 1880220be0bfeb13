import { formatPath, type Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about, aboutKey } from "./report";
import { withLines } from "./values";
import { valuesOf } from "./values-of";

/** What Flux would replace, and line ends, which only annotations and values of some types may have. */
export function textProblems(description: unknown): Problem[] {
  const found = withLines.flatMap((type) => valuesOf(type, Object(description) as object));
  return problemsIn(description, [], new Set(found.map(({ path }) => formatPath(path))));
}

function problemsIn(value: unknown, path: Problem["path"], linesAt: ReadonlySet<string>): Problem[] {
  if (typeof value === "string") return problemsOf(value, path, linesAt.has(formatPath(path)));
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, i) => problemsIn(item, [...path, i], linesAt));
  return Object.entries(value).flatMap(([key, child]) => [
    ...aboutKey(problemsOf(key, [...path, key], false)),
    ...problemsIn(child, [...path, key], linesAt),
  ]);
}

function problemsOf(text: string, path: Problem["path"], mayHaveLines: boolean): Problem[] {
  const [replaced] = /\$[{$]/.exec(text) ?? [];
  if (replaced !== undefined)
    return about(path).say(`${show(text)} holds ${replaced}, which Flux would replace; write the value out`);
  // Ranges: for \p{Cc} and \p{Cs}, V8 looks up the category of every character.
  const refused =
    path[0] === "annotations"
      ? /[\ud800-\udfff]/u
      : mayHaveLines
        ? /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/u
        : /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/u;
  const what = mayHaveLines ? "a \\r" : "a line break";
  return refused.test(text)
    ? about(path).say(`${show(text)} holds ${what} or another control character; leave it out`)
    : [];
}
