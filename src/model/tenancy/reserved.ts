/** Whether DNS or Kubernetes already uses a name: labels of cluster names, and the cluster's own namespaces. */
export function isReservedName(name: string): boolean {
  return ["svc", "pod", "all", "default"].includes(name) || isClusterNamespace(name);
}

/** Namespaces that the cluster makes for itself (`kube-` is reserved for it), which no tenant may own. */
export function isClusterNamespace(name: string): boolean {
  return name === "default" || name === "kube" || name.startsWith("kube-");
}
