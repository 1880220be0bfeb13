/** The items that share a key, in the order of their first. */
export function grouped<T, Key>(items: readonly T[], keyOf: (item: T) => Key): [key: Key, items: [T, ...T[]]][] {
  const groups = new Map<Key, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    // Not copied for each item: a few hundred nodes that complain write 100,000 lines.
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}
