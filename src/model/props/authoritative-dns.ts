import type { CacheOptions } from "./cache";
import type { CorefileAdditions } from "./corefile";
import type { NodePlacement, Resources } from "./placement";
import type { Image } from "./values";

/** CoreDNS as the cluster's authoritative DNS, behind Service `kube-dns`. */
export interface AuthoritativeDnsOptions {
  /**
   * Kind of workload. `Existing`: the cluster has its own (kubeadm's, a cloud's) behind `k8s-app: kube-dns`, and
   * nothing is rendered for it.
   * @default Deployment
   */
  readonly kind?: "Deployment" | "DaemonSet" | "Existing";

  /**
   * CoreDNS image, by tag or digest.
   * @default registry.k8s.io/coredns/coredns:v1.14.7
   */
  readonly image?: Image;

  /**
   * Replicas of the Deployment. Excludes `autoscaler`.
   * @default 2
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly replicas?: number;

  /**
   * Scale with the size of the cluster (cluster-proportional-autoscaler, linear mode); `{}` for its defaults.
   * @default - none
   */
  readonly autoscaler?: AutoscalerOptions;

  /**
   * Records for pods (`1-2-3-4.namespace.pod.<domain>`): `pods` of CoreDNS's `kubernetes` plugin. `verified` watches
   * every pod of the cluster.
   * @default insecure
   */
  readonly pods?: "disabled" | "insecure" | "verified";

  /**
   * TTL of records of the cluster domain, in seconds.
   * @default 30
   * @minimum 0
   * @maximum 3600
   * @asType integer
   */
  readonly ttl?: number;

  /**
   * Cache for names outside the cluster domain, for answers over UDP (the cluster's own names come from memory).
   * @default - 1024 positive and 1024 negative answers for 30 seconds
   */
  readonly cache?: CacheOptions;

  /**
   * Corefile text for what has no key.
   * @default - none
   */
  readonly corefile?: CorefileAdditions;

  /**
   * Which nodes it runs on.
   * @default - untainted Linux nodes
   */
  readonly nodePlacement?: NodePlacement;

  /**
   * Resources of the CoreDNS container. By default, memory follows from `size`, `pods` and `cache`; see docs/memory.md.
   * @default - requests: cpu 100m and usual memory; limits: worst-case memory
   */
  readonly resources?: Resources;
}

/**
 * Linear mode of cluster-proportional-autoscaler: replicas = max(cores / coresPerReplica, nodes / nodesPerReplica),
 * within min and max.
 */
export interface AutoscalerOptions {
  /**
   * CPU cores of the cluster for each replica.
   * @default 256
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly coresPerReplica?: number;

  /**
   * Nodes of the cluster for each replica.
   * @default 16
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly nodesPerReplica?: number;

  /**
   * The fewest replicas.
   * @default 2
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly min?: number;

  /**
   * The most replicas, however large the cluster.
   * @default - no limit
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly max?: number;

  /**
   * Image of cluster-proportional-autoscaler, by tag or digest.
   * @default registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.10.3
   */
  readonly image?: Image;
}
