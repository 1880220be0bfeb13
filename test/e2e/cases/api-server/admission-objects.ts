import type { LocalApiServer } from "../../lib/local-api-server";

interface AppliedObject {
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

/** Applies them twice: the second time must change nothing. */
export async function applyTwice(api: LocalApiServer, objects: readonly AppliedObject[]): Promise<void> {
  for (const object of objects) {
    const first = await api.apply(pathOf(object), object);
    const second = await api.apply(pathOf(object), object);
    const [before, after] = [first, second].map(
      ({ metadata }) => (metadata as { resourceVersion: string }).resourceVersion,
    );
    if (before !== after) throw new Error(`a second apply changes ${object.kind} ${object.metadata.name}`);
  }
}

/** Allows everyone everything, so that only admission refuses requests. */
export async function allowEverybody(api: LocalApiServer): Promise<void> {
  await api.must("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "everybody" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "people" }],
  });
}
