export type Severity = "error" | "warning" | "info";

/** Something in a cluster that an operator should know, and what to do about it. */
export interface Finding {
  /** `error`: names do not resolve, or soon will not; `warning`: they do, but not as described; `info`: good to know. */
  readonly severity: Severity;
  readonly title: string;
  /** `Service kube-system/kube-dns`, `node-1` ... */
  readonly where: string;
  /** The nodes that it is about, if it is of nodes or pods. */
  readonly nodes?: readonly string[];
  /** What was read, and what was expected. */
  readonly evidence: readonly string[];
  /** Shell commands: the first ones look closer, the last one mends. */
  readonly next: readonly string[];
}

/** At most `count` of them, and how many more there are. */
export function some(texts: readonly string[], count = 5): string {
  return texts.length > count
    ? `${texts.slice(0, count).join(", ")} and ${texts.length - count} more`
    : texts.join(", ");
}

/** The items that share a key, in the order of their first. */
export function grouped<T, Key>(items: readonly T[], keyOf: (item: T) => Key): [key: Key, items: T[]][] {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    // Not copied for each item: a few hundred nodes that complain write 100,000 lines.
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}
