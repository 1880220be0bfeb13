/** How large a cluster is, or may become. The memory of CoreDNS follows from it. */
export interface ClusterSize {
  /**
   * Nodes.
   * @default 100
   * @minimum 1
   * @maximum 100000
   * @asType integer
   */
  readonly nodes?: number;

  /**
   * Pods.
   * @default - 30 a node
   * @minimum 1
   * @maximum 10000000
   * @asType integer
   */
  readonly pods?: number;

  /**
   * Services.
   * @default - 2 a node, but 1000 at least
   * @minimum 1
   * @maximum 1000000
   * @asType integer
   */
  readonly services?: number;
}
