import type { DNSName, Duration } from "./values";

/** What keeps names resolving while something else is down. Each part is on unless it is turned off here. */
export interface ResilienceOptions {
  /**
   * How long after its expiry an answer from outside may still be given, while nobody outside answers. `false`: not at
   * all. `cache.serveStale` of CoreDNS or of the node cache takes its place there.
   * @default 6h
   * @formatMinimum 1s
   * @formatMaximum 87600h
   */
  readonly staleNames?: Duration | false;

  /**
   * Give the last answer, for as long as `staleNames`, also while servers outside say that the name or its addresses do
   * not exist: a name that was really deleted stays that long.
   * @default true
   */
  readonly preferPositive?: boolean;

  /**
   * How long after its expiry the node cache may still give an answer about the cluster's names, while the cluster DNS does
   * not answer. `false`: not at all. `nodeLocalDNS.cache.serveStale` takes its place.
   * @default 6h
   * @formatMinimum 1s
   * @formatMaximum 87600h
   */
  readonly staleClusterNames?: Duration | false;

  /**
   * Names outside the cluster that pods cannot do without, such as a registry and an identity provider. Each server keeps
   * their answers apart, where no other name takes their place, and gives them for three days after they expire.
   * @default []
   * @maxItems 100
   */
  readonly pinnedNames?: readonly DNSName[];

  /**
   * Give CoreDNS a share of the API server of its own: a FlowSchema and a PriorityLevelConfiguration. Needs Kubernetes
   * 1.29.
   * @default - true if `kubernetesVersion` is "1.29" or newer and CoreDNS is this project's
   */
  readonly apiPriority?: boolean;

  /**
   * Log the first error of each kind, and how many there were once this time is over. `false`: log each.
   * @default 1m
   * @formatMinimum 1s
   * @formatMaximum 24h
   */
  readonly consolidateErrors?: Duration | false;

  /**
   * Drop queries over UDP, without an answer, while answers cannot be written fast enough: CoreDNS's `shed`.
   * @default true
   */
  readonly shed?: boolean;
}
