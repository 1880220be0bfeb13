import type { CacheOptions } from "./cache";
import type { CorefileAdditions } from "./corefile";
import type { DnsServiceOptions } from "./dns-service";
import type { NodePlacement, Resources } from "./placement";
import type { Image } from "./values";

/** CoreDNS as the cluster's authoritative DNS, behind Service `kube-dns`. */
export interface AuthoritativeDnsOptions {
  /**
   * Kind of workload. `Existing`: the cluster has its own (kubeadm's, a cloud's) behind `service`, and nothing is
   * rendered for it.
   * @default Deployment
   */
  readonly kind?: "Deployment" | "DaemonSet" | "Existing";

  /**
   * Only with `kind: Existing`: the Service of the cluster's own DNS, where it is not Service `kube-dns` as kubeadm has it.
   * @default - Service kube-dns of kube-system
   */
  readonly service?: DnsServiceOptions;

  /**
   * CoreDNS image, by tag or digest.
   * @default registry.k8s.io/coredns/coredns:v1.14.7
   */
  readonly image?: Image;

  /**
   * Replicas of the Deployment. Excludes `autoscaler`.
   * @default - 2; with `size.nodes`, as many as that asks for (docs/scale.md)
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly replicas?: number;

  /**
   * Scale with the size of the cluster, or with the load; `{}` for its defaults.
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

/** How many replicas there are, within min and max. */
export interface AutoscalerOptions {
  /**
   * `cluster-proportional`: with the size of the cluster, max(cores / coresPerReplica, nodes / nodesPerReplica), by
   * cluster-proportional-autoscaler in linear mode. `horizontal`: with the load, by a HorizontalPodAutoscaler, which needs
   * the cluster's metrics-server.
   * @default cluster-proportional
   */
  readonly mode?: "cluster-proportional" | "horizontal";

  /**
   * With `horizontal`: the share of its requested CPU that a replica shall use, in percent.
   * @default 70
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly cpuUtilization?: number;

  /**
   * With `cluster-proportional`: CPU cores of the cluster for each replica.
   * @default - 256; 2048 with `size.nodes` and a cache on every node
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly coresPerReplica?: number;

  /**
   * With `cluster-proportional`: nodes of the cluster for each replica.
   * @default - 16; 128 with `size.nodes` and a cache on every node
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly nodesPerReplica?: number;

  /**
   * The fewest replicas.
   * @default - 2; with `horizontal` and `size.nodes`, as many as that asks for (docs/scale.md)
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly min?: number;

  /**
   * The most replicas, however large the cluster or the load.
   * @default - no limit, or 100 if `size.nodes` asks for more; with `horizontal` four times `min`, at most 100
   * @minimum 1
   * @maximum 1000
   * @asType integer
   */
  readonly max?: number;

  /**
   * With `cluster-proportional`: image of cluster-proportional-autoscaler, by tag or digest.
   * @default registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.10.3
   */
  readonly image?: Image;
}
