import { isWorkload, type KubernetesObject } from "../kubernetes/object";
import { isMapping } from "../syntax/mapping";

/** Whether the API server does not let a field change (the validation of Kubernetes' own API types). */
export function isFixed(kind: string, path: string): boolean {
  // A second address may come and go.
  if (path === "spec.clusterIPs") return false;
  return fixedFields(kind).some((field) => path.startsWith(field.join(".")));
}

/** An object that the server refuses to change, with those of its fields that may be why. */
export function withFixedFields(there: KubernetesObject, refused: KubernetesObject): KubernetesObject {
  return fixedFields(there.kind).reduce<object>(
    (object, field) => put(object, field, refused),
    there,
  ) as KubernetesObject;
}

type Field = readonly [name: string, below?: string];

function fixedFields(kind: string): readonly Field[] {
  if (isWorkload({ kind })) return [["spec", "selector"]];
  if (kind === "Service")
    return [
      ["spec", "clusterIP"],
      ["spec", "clusterIPs"],
    ];
  return kind.endsWith("RoleBinding") ? [["roleRef"]] : [];
}

/** Nothing if the other object does not set the field: the server does then. */
function put(object: object, [name, below]: Field, from: object): object {
  const [old, now] = [object, from].map((each) => (each as { readonly [field: string]: unknown })[name]);
  if (now === undefined) return object;
  if (below === undefined) return { ...object, [name]: now };
  return isMapping(old) && isMapping(now) ? { ...object, [name]: put(old, [below], now) } : object;
}
