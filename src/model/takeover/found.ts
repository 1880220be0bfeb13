import { differences } from "../kubernetes/differences";

export interface FoundValue {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Our default, which only a cluster file of a fleet with another one needs to say. */
  readonly isDefault?: true;
}

export function found(path: string, value: unknown): FoundValue[] {
  return value === undefined ? [] : [{ path: path.split("."), value }];
}

/** A value that is written unless it is the default. */
export function unlessDefault(path: string, value: unknown, byDefault: unknown): FoundValue[] {
  const isDefault = differences(value, byDefault).length === 0;
  return found(path, value).map((finding) => (isDefault ? { ...finding, isDefault } : finding));
}

/** Combines findings into one value; for the same place, the first wins. A key may be named as a prototype's. */
export function nested(findings: readonly FoundValue[]): { readonly [key: string]: unknown } {
  const below = new Map<string, FoundValue[]>();
  for (const {
    path: [key = "", ...path],
    ...finding
  } of findings)
    if (below.get(key)?.push({ ...finding, path }) === undefined) below.set(key, [{ ...finding, path }]);
  return Object.fromEntries(
    [...below].map(([key, all]) => {
      const leaf = all.find(({ path }) => path.length === 0);
      return [key, leaf ? structuredClone(leaf.value) : nested(all)];
    }),
  );
}
