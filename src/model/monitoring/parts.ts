/** Of what the cluster has, all that rules and dashboard depend on. */
export interface MonitoredParts {
  readonly domain: string;
  /** Whether there are rules, which record the ratios of the objective. */
  readonly hasRules: boolean;
  /** `replicas`: at least as many; undefined where the number of nodes decides. */
  readonly coredns: { readonly replicas: number | undefined } | undefined;
  /** `clusterServers`: where the cache asks the cluster DNS, if the cluster file says. */
  readonly cache:
    | {
        readonly isOnEveryNode: boolean;
        readonly clusterServers: readonly string[];
        readonly limitsPods: boolean;
      }
    | undefined;
  readonly watchdog: boolean;
  /** Whether CoreDNS gives expired answers, and only while it gets no others. */
  readonly staleMeansFailure: boolean;
  readonly nodeResolver: { readonly intervalSeconds: number } | undefined;
  readonly webhook: { readonly leastCertificateDays: number } | undefined;
  /** What the API server counts: findings of the audit policy, and unanswered calls of the webhook. */
  readonly slippedThrough: { readonly audit: boolean; readonly webhook: boolean };
}
