export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The path of an object; every kind applied here follows the rule for its plural. */
export function pathOf({ apiVersion, kind, metadata: { name, namespace } }: AppliedObject): string {
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = kind.toLowerCase().endsWith("y") ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`;
  return `${group}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}/${name}`;
}
