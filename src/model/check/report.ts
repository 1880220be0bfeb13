import type { Problem } from "../syntax/problem";

/** A problem with the value at a path: `problem(["clusterDNS", 0], "...")`. */
export function problem(path: Problem["path"], message: string): Problem {
  return { path, at: "value", message };
}

/** `about(["clusterDNS", 0]).when(isWrong, "...")`: the problem with the value at a path if it is wrong, else nothing. */
export function about(path: Problem["path"]): { when(bad: boolean, message: string): Problem[] } {
  return { when: (bad, message) => (bad ? [problem(path, message)] : []) };
}

/** The same problems, located at the key that ends the path instead of its value. */
export function aboutKey(problems: readonly Problem[]): Problem[] {
  return problems.map((found) => ({ ...found, at: "key" }));
}
