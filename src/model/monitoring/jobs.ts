import { names } from "../object-names";

/** The label `job` of each program's metrics, which monitors set and rules select by. */
export const jobs = {
  coredns: names.authoritativeDns,
  cache: names.nodeLocalDns,
  watchdog: names.watchdog,
  nodeResolver: names.nodeResolver,
  webhook: names.webhook,
} as const;

export type Job = (typeof jobs)[keyof typeof jobs];

/** A program with metrics, and how Prometheus finds its pods. */
export interface ScrapedProgram {
  readonly job: Job;
  readonly podLabels: { readonly [key: string]: string };
  readonly port: number;
  /** On the pods' network, as `metrics`; on the host's, it would become a host port, and hold up a surge. */
  readonly isPortDeclared: boolean;
  /** Whether another component renders a Service with a port `metrics`. */
  readonly hasService: boolean;
}

/** Port name of every Service and container with metrics. */
export const metricsPortName = "metrics";
