/** Which nodes a DNS workload may run on, with the field names of OpenShift's `DNSNodePlacement` and of a pod spec. */
export interface NodePlacement {
  /**
   * Labels that a node must have. Replaces the default, so include `kubernetes.io/os: linux` if the cluster has Windows
   * nodes. Empty, it counts as left out.
   * @default {"kubernetes.io/os":"linux"}
   */
  readonly nodeSelector?: { readonly [label: string]: string };

  /**
   * Taints that the pods tolerate. Replaces the component's default list.
   * @default - none for authoritative DNS, the webhook and the smoke test; every taint for the node cache
   */
  readonly tolerations?: readonly Toleration[];
}

/** A toleration as in a pod spec (core/v1 Toleration). */
export interface Toleration {
  /**
   * Taint key; without one, `operator: Exists` tolerates every taint.
   * @default - every key
   */
  readonly key?: string;

  /**
   * `Gt` and `Lt` compare integers; they need Kubernetes 1.35 and, up to 1.37, feature gate
   * `TaintTolerationComparisonOperators`.
   * @default Equal
   */
  readonly operator?: "Exists" | "Equal" | "Gt" | "Lt";

  /**
   * Taint value; not with `operator: Exists`.
   * @default ""
   */
  readonly value?: string;

  /**
   * Taint effect.
   * @default - every effect
   */
  readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";

  /**
   * Seconds that a pod stays after a NoExecute taint appears; only with `effect: NoExecute`.
   * @default - forever
   * @minimum 0
   * @maximum 9007199254740991
   * @asType integer
   */
  readonly tolerationSeconds?: number;
}

/**
 * Compute resources of a container (core/v1 ResourceRequirements), with quantities as Kubernetes writes them. Replaces
 * the component's own as a whole.
 */
export interface Resources {
  /**
   * What the scheduler reserves, for example `{ cpu: 100m, memory: 70Mi }`.
   * @default - none
   */
  readonly requests?: { readonly [resource: string]: string | number };

  /**
   * What the kernel enforces.
   * @default - none
   */
  readonly limits?: { readonly [resource: string]: string | number };
}
