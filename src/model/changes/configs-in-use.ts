import { isWorkload, type KubernetesObject } from "../kubernetes/object";

/** The configurations that workloads refer to, by a key of their data; older ones may still exist. */
export function configsInUse(objects: readonly KubernetesObject[], key: string): string[] {
  const used = JSON.stringify(objects.filter(isWorkload));
  return objects.flatMap(({ kind, metadata: { name }, data }) =>
    kind === "ConfigMap" && data?.[key] !== undefined && used.includes(`"${name}"`) ? [String(data[key])] : [],
  );
}
