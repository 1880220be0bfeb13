/** One thing that is wrong with what a user wrote. */
export interface Problem {
  /** Where: the keys and indexes that lead to it, from the top of the cluster description. */
  readonly path: readonly (string | number)[];

  /** Whether the key itself is wrong (an unknown key) or its value. */
  readonly at: "key" | "value";

  /** What was got, what is accepted, and what to do. */
  readonly message: string;
}

/** `nodeLocalDNS.cache.success` and `clusterDNS[1]`: how a problem's path is written in messages. */
export function formatPath(path: Problem["path"]): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${step}`)).join("");
}
