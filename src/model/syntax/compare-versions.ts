/** Below zero if the first of two versions such as `1.18.0` is the older one, zero if they are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((each) => each.split(".").map(Number));
  return (left ?? []).map((part, i) => part - (right?.[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
