import type { NamespaceName, PageURL } from "./values";

/**
 * Objects of the Prometheus operator (monitoring.coreos.com/v1) and a dashboard for Grafana; see docs/monitoring.md. The
 * operator's custom resource definitions must exist.
 */
export interface MonitoringOptions {
  /**
   * What tells Prometheus where the metrics are. `annotations`: `prometheus.io/scrape` and `prometheus.io/port` on pods
   * and Services, as without `monitoring`; your scrape configuration then sets the labels `job` and `node`
   * (docs/monitoring.md).
   * @default ServiceMonitor
   */
  readonly monitors?: "ServiceMonitor" | "PodMonitor" | "annotations";

  /**
   * Alerts and recording rules, as a PrometheusRule.
   * @default true
   */
  readonly prometheusRule?: boolean;

  /**
   * A dashboard for Grafana, as a ConfigMap.
   * @default true
   */
  readonly dashboard?: boolean;

  /**
   * Namespace of monitors, rules and dashboard, which must exist. If set, `networkPolicies` admit it to metrics.
   * @default kube-system
   */
  readonly namespace?: NamespaceName;

  /**
   * Extra labels of monitors and rules, by which a Prometheus selects them: `{release: kube-prometheus-stack}`.
   * @default {}
   */
  readonly labels?: { readonly [key: string]: string };

  /**
   * Labels of the dashboard's ConfigMap, by which Grafana's sidecar finds it.
   * @default - `{grafana_dashboard: "1"}`
   */
  readonly dashboardLabels?: { readonly [key: string]: string };

  /**
   * Where alerts link to: the folder with a page `ALERT.md` for each alert, as a URL.
   * @default https://github.com/OWNER/cdk8s-cluster-dns/blob/main/docs/runbooks
   */
  readonly runbookBaseURL?: PageURL;
}
