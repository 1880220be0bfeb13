/** The images that are used where none is named, without their registry. */
const defaultImages = {
  /** From 1.14.7 no answer leaks through the cache past `acl` and `view` (coredns#8289). */
  coredns: "coredns/coredns:v1.14.7",
  nodeCache: "dns/k8s-dns-node-cache:1.26.8",
  autoscaler: "cpa/cluster-proportional-autoscaler:v1.10.3",
} as const;

export function defaultImage(name: keyof typeof defaultImages, imageRegistry = "registry.k8s.io"): string {
  return `${imageRegistry}/${defaultImages[name]}`;
}
