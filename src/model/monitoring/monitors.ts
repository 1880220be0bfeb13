import { namespace } from "../object-names";
import { metricsPortName, type ScrapedProgram } from "./jobs";

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

function addressOf({ port }: ScrapedProgram): object[] {
  const address = { action: "replace", sourceLabels: ["__meta_kubernetes_pod_ip"], targetLabel: "__address__" };
  return [
    { action: "drop", sourceLabels: ["__meta_kubernetes_pod_container_init"], regex: "true" },
    { ...address, regex: "([^:]+)", replacement: `$1:${port}` },
    { ...address, regex: "(.+:.+)", replacement: `[$1]:${port}` },
  ];
}
