import { isMapping } from "../syntax/mapping";

/** What somebody else wrote: nothing is certain of its values. */
export interface Fields {
  readonly [field: string]: unknown;
}

/** An object of the Kubernetes API: as it is rendered and applied, or as a cluster or a file has it. */
export interface KubernetesObject {
  /** Empty only in what somebody abridged. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: Fields;
  readonly data?: { readonly [key: string]: string };
  /** Nothing that is applied has it. */
  readonly status?: Fields;
}

export interface Metadata {
  readonly name: string;
  readonly generation?: number;
  readonly namespace?: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [annotation: string]: string };
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[];
  /** Only with `--show-managed-fields`. */
  readonly managedFields?: readonly { readonly manager?: string }[];
}

export interface ComponentObjects {
  readonly name: string;
  readonly objects: readonly KubernetesObject[];
}

/** `Deployment kube-system/coredns`: no two objects of a cluster have the same, as far as we render any. */
export function identity(object: Pick<KubernetesObject, "kind" | "metadata">): string {
  return `${object.kind} ${namespacedName(object)}`;
}

/** `kube-system/coredns` */
export function namespacedName({ metadata: { namespace, name } }: Pick<KubernetesObject, "metadata">): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Whether a value has a kind and a name. A file that was edited or holds a merge conflict may be anything. */
export function isKubernetesObject(value: unknown): value is KubernetesObject {
  return (
    isMapping(value) &&
    typeof value["apiVersion"] === "string" &&
    typeof value["kind"] === "string" &&
    isMapping(value["metadata"]) &&
    typeof value["metadata"]["name"] === "string"
  );
}

/** Whether it starts pods. */
export function isWorkload({ kind }: Pick<KubernetesObject, "kind">): boolean {
  return kind === "Deployment" || kind === "DaemonSet" || kind === "Job";
}

/** The objects of a list, or a single object; anything else is left out. */
export function objectsOf(value: unknown): KubernetesObject[] {
  return itemsOf(value)
    .map((item) => ({ apiVersion: "", ...item }))
    .filter((item) => isKubernetesObject(item));
}

/** The items of a list, or the only one. In a NodeList as the API server returns it, items have no kind. */
export function itemsOf(value: unknown): Fields[] {
  if (!isMapping(value)) return [];
  const { kind, items } = value;
  if (!Array.isArray(items)) return [value];
  return items.filter(isMapping).map((item) => (kind === "NodeList" ? { ...item, kind: "Node" } : item));
}
