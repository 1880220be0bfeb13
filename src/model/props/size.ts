/** How large a cluster is or may become. CoreDNS's memory follows from it. */
export interface ClusterSize {
  /**
   * Nodes. If given, replicas, CPU, cache sizes, rollouts and timeouts follow as well: docs/scale.md.
   * @default 100
   * @minimum 1
   * @maximum 100000
   * @asType integer
   */
  readonly nodes?: number;

  /**
   * Pods.
   * @default - 30 per node
   * @minimum 1
   * @maximum 10000000
   * @asType integer
   */
  readonly pods?: number;

  /**
   * Services.
   * @default - 2 per node, at least 1000
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly services?: number;
}
