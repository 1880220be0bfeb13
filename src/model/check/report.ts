import type { Problem } from "../syntax/problem";

/** A problem with the value at a path: `problem(["clusterDNS", 0], "...")`. */
export function problem(path: Problem["path"], message: string): Problem {
  return { path, at: "value", message };
}

/** The problem if `bad`, else nothing. */
export function when(bad: boolean, path: Problem["path"], message: string): Problem[] {
  return bad ? [problem(path, message)] : [];
}

/** The same problems, located at the key that ends the path instead of its value. */
export function aboutKey(problems: readonly Problem[]): Problem[] {
  return problems.map((found) => ({ ...found, at: "key" }));
}
