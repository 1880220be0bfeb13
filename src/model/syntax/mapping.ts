/** Whether a value is a mapping of YAML, an object of JSON. */
export function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
