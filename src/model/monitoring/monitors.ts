import { namespace } from "../object-names";
import { metricsPortName, type ScrapedProgram } from "./jobs";

interface Relabeling {
  readonly action: "replace" | "drop";
  readonly sourceLabels?: readonly string[];
  readonly regex?: string;
  readonly targetLabel?: string;
  readonly replacement?: string;
}

/** What both kinds of monitors say about an endpoint. */
export interface Endpoint {
  readonly port?: string;
  readonly relabelings: readonly Relabeling[];
}

/** Where a monitor looks for its pods or Services. */
export interface Selection {
  readonly namespaceSelector: { readonly matchNames: readonly string[] };
  readonly selector: { readonly matchLabels: { readonly [key: string]: string } };
}

export function podMonitorSpec(
  program: ScrapedProgram,
): Selection & { readonly podMetricsEndpoints: readonly Endpoint[] } {
  const endpoint = program.isPortDeclared
    ? { port: metricsPortName, relabelings: labelled(program) }
    : // `portNumber` would only find a declared port. Without a port, Prometheus finds each container once.
      { relabelings: [...addressOf(program), ...labelled(program)] };
  return { ...selection(program.podLabels), podMetricsEndpoints: [endpoint] };
}

export function serviceMonitorSpec(program: ScrapedProgram): Selection & { readonly endpoints: readonly Endpoint[] } {
  return {
    ...selection(program.podLabels),
    endpoints: [{ port: metricsPortName, relabelings: labelled(program) }],
  };
}

function selection(matchLabels: Selection["selector"]["matchLabels"]): Selection {
  return { namespaceSelector: { matchNames: [namespace] }, selector: { matchLabels } };
}

/** The labels that rules and dashboard use, the same from either kind of monitor. */
function labelled({ job }: ScrapedProgram): Relabeling[] {
  return [
    { action: "replace", targetLabel: "job", replacement: job },
    { action: "replace", sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" },
  ];
}

/** The port that no container declares. */
function addressOf({ port }: ScrapedProgram): Relabeling[] {
  const address = {
    action: "replace",
    sourceLabels: ["__meta_kubernetes_pod_ip"],
    targetLabel: "__address__",
  } as const;
  return [
    { action: "drop", sourceLabels: ["__meta_kubernetes_pod_container_init"], regex: "true" },
    { ...address, regex: "([^:]+)", replacement: `$1:${port}` },
    { ...address, regex: "(.+:.+)", replacement: `[$1]:${port}` },
  ];
}
