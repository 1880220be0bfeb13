/** One thing that is wrong with the user's input. */
export interface Problem {
  /** Where: the keys and indexes that lead to it, from the top of the cluster description. */
  readonly path: readonly (string | number)[];

  /** Whether the key itself is wrong (unknown) or its value. */
  readonly at: "key" | "value";

  /** Line and column in a value of several lines, from 1. */
  readonly within?: { readonly line: number; readonly column: number };

  /** What was given, what is accepted, and what to do. */
  readonly message: string;
}

/** Whether a path leads to a place, or to something below it. */
export function isBelow(path: Problem["path"], place: Problem["path"]): boolean {
  return place.every((step, i) => step === path[i]);
}

/** `nodeLocalDNS.cache.success` and `clusterDNS[1]`: how messages show a problem's path. */
export function formatPath(path: Problem["path"]): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${step}`)).join("");
}
