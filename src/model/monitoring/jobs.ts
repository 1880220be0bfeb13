import { names, namespace } from "../object-names";

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
  /**
   * On the pods' network, the container declares the port as `metrics`. On the host's network none is declared: it would
   * become a host port, and the scheduler would refuse the second pod of a surge.
   */
  readonly isPortDeclared: boolean;
  /** Whether another component renders a Service with a port `metrics`. */
  readonly hasService: boolean;
}

/** Port name of every Service and container with metrics. */
export const metricsPortName = "metrics";

export function podMonitorSpec(program: ScrapedProgram): object {
  const endpoint = program.isPortDeclared
    ? { port: metricsPortName, relabelings: labelled(program) }
    : // `portNumber` would only find a declared port. Without a port, Prometheus finds each container once.
      { relabelings: [...addressOf(program), ...labelled(program)] };
  return { ...selection(program), podMetricsEndpoints: [endpoint] };
}

export function serviceMonitorSpec(program: ScrapedProgram): object {
  return { ...selection(program), endpoints: [{ port: metricsPortName, relabelings: labelled(program) }] };
}

/** Where a monitor looks for its pods or Services. */
function selection({ podLabels }: ScrapedProgram): object {
  return { namespaceSelector: { matchNames: [namespace] }, selector: { matchLabels: podLabels } };
}

/** The labels that rules and dashboard use, the same from either kind of monitor. */
function labelled({ job }: ScrapedProgram): object[] {
  return [
    { action: "replace", targetLabel: "job", replacement: job },
    { action: "replace", sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" },
  ];
}

/** The port that no container declares. */
function addressOf({ port }: ScrapedProgram): object[] {
  const address = { action: "replace", sourceLabels: ["__meta_kubernetes_pod_ip"], targetLabel: "__address__" };
  return [
    { action: "drop", sourceLabels: ["__meta_kubernetes_pod_container_init"], regex: "true" },
    { ...address, regex: "([^:]+)", replacement: `$1:${port}` },
    { ...address, regex: "(.+:.+)", replacement: `[$1]:${port}` },
  ];
}
