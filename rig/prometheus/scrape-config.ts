import type { KubernetesObject } from "../cluster/kubectl";

interface Relabeling {
  readonly action: string;
  readonly sourceLabels?: readonly string[];
  readonly regex?: string;
  readonly targetLabel?: string;
  readonly replacement?: string;
}

interface MonitorSpec {
  readonly namespaceSelector: { readonly matchNames: readonly string[] };
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly endpoints?: readonly { readonly port?: string; readonly relabelings: readonly Relabeling[] }[];
  readonly podMetricsEndpoints?: MonitorSpec["endpoints"];
}

/** What the Prometheus operator makes of a PodMonitor or a ServiceMonitor, as far as ours use its fields. */
export function scrapeConfigs({ kind, metadata, spec }: KubernetesObject, kubeconfig: string): object[] {
  const { namespaceSelector, selector, endpoints, podMetricsEndpoints = [] } = spec as MonitorSpec;
  const isOfPods = endpoints === undefined;
  const what = isOfPods ? "pod" : "service";
  const portLabel = isOfPods
    ? "__meta_kubernetes_pod_container_port_name"
    : "__meta_kubernetes_endpointslice_port_name";
  return (endpoints ?? podMetricsEndpoints).map(({ port, relabelings }, i) => ({
    job_name: `${kind}/${metadata.name}/${i}`,
    kubernetes_sd_configs: [
      {
        role: isOfPods ? "pod" : "endpointslice",
        kubeconfig_file: kubeconfig,
        namespaces: { names: namespaceSelector.matchNames },
      },
    ],
    relabel_configs: [
      ...Object.entries(selector.matchLabels).map(([label, value]) =>
        keep(`__meta_kubernetes_${what}_label_${label.replace(/[^A-Za-z0-9_]/g, "_")}`, value),
      ),
      ...(port === undefined ? [] : [keep(portLabel, port)]),
      // a pod that has ended keeps its address
      { action: "drop", source_labels: ["__meta_kubernetes_pod_phase"], regex: "(Failed|Succeeded)" },
      { source_labels: ["__meta_kubernetes_namespace"], target_label: "namespace" },
      { source_labels: ["__meta_kubernetes_pod_name"], target_label: "pod" },
      ...relabelings.map(({ action, sourceLabels, targetLabel, regex, replacement }) => ({
        action,
        ...(sourceLabels && { source_labels: sourceLabels }),
        ...(targetLabel !== undefined && { target_label: targetLabel }),
        ...(regex !== undefined && { regex }),
        ...(replacement !== undefined && { replacement }),
      })),
    ],
  }));
}

function keep(label: string, value: string): object {
  return { action: "keep", source_labels: [label], regex: value };
}
