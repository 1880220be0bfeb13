/** Whether a value is a mapping of YAML, an object of JSON. */
export function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of a mapping that we wrote: it has no other keys than its type says. */
export function keysIn<T extends object>(mapping: T): (keyof T)[] {
  return Object.keys(mapping) as (keyof T)[];
}

export function withoutKeys<T extends object>(mapping: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(mapping).filter(([key]) => !keys.includes(key))) as T;
}

/** As the API server keeps what has texts: one that is empty would be a difference for whoever compares. */
export function withoutEmpty<T extends object>(mapping: T): T {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== "")) as T;
}

/** What a mapping itself has: somebody may call something `constructor`. */
export function own<Value>(mapping: { readonly [key: string]: Value }, key: string): Value | undefined {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}
