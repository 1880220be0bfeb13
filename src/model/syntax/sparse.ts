/** A list as it is written down: an item, several, or a gap where a condition does not hold: `[one, isWanted && other]`. */
export type Sparse<T> = T | false | undefined | readonly Sparse<T>[];

export function dense<T>(sparse: Sparse<T>): T[] {
  if (sparse === undefined || sparse === false) return [];
  return isList(sparse) ? sparse.flatMap((each) => dense(each)) : [sparse];
}

function isList<T>(sparse: Sparse<T>): sparse is readonly Sparse<T>[] {
  return Array.isArray(sparse);
}
