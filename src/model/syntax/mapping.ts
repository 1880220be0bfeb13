/** Whether a value is a mapping of YAML, an object of JSON. */
export function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A mapping without some of its keys. */
export function withoutKeys<T extends object>(mapping: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(mapping).filter(([key]) => !keys.includes(key))) as T;
}
