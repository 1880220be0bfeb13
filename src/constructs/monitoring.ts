import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { MonitoringSettings } from "../model/cluster/monitoring";
import { mayBeUnknown } from "../model/gitops/annotations";
import { grafanaDashboard } from "../model/monitoring/grafana";
import { metricsPortName, type ScrapedProgram } from "../model/monitoring/jobs";
import { podMonitorSpec, serviceMonitorSpec } from "../model/monitoring/monitors";
import { ruleGroups } from "../model/monitoring/rule-groups";
import { names } from "../model/object-names";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";

const name = names.monitoring;

/** Monitors, alerts and recording rules for the Prometheus operator, and a dashboard for Grafana. */
export class Monitoring extends Component {
  protected readonly stage = "monitoring";
  /** Their namespace may be missing, as their kinds may. */
  protected override readonly isOfOneStage = true;
  /** Headless, for ServiceMonitors of programs that have no Service of their own. */
  readonly services: readonly ApiObject[];
  /** PodMonitors or ServiceMonitors. */
  readonly monitors: readonly ApiObject[];
  /** Alerts and recording rules; only with `prometheusRule`. */
  readonly prometheusRule?: ApiObject;
  /** The ConfigMap with Grafana's dashboard; only with `dashboard`. */
  readonly dashboard?: ApiObject;

  /** @throws Error with everything that is wrong with the props, or if there is no `monitoring`. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(this.cluster.components.monitoring, "has nothing to render; set monitoring");
    const { monitors, programs, hasRules, hasDashboard, parts, namespace, labels, dashboardLabels, runbookBaseURL } =
      settings;
    this.services =
      monitors === "ServiceMonitor"
        ? programs
            .filter(({ hasService }) => !hasService)
            .map(({ job, podLabels, port }) => this.addMetricsService(`${job}-${metricsPortName}`, podLabels, port))
        : [];
    this.monitors = programs.map((program) => this.addMonitor(program, settings));
    if (hasRules)
      this.prometheusRule = this.add("PrometheusRule", {
        metadata: { name, namespace, labels, annotations: mayBeUnknown },
        spec: { groups: ruleGroups(parts, runbookBaseURL) },
      });
    if (hasDashboard)
      this.dashboard = this.add("ConfigMap", {
        metadata: { name: `${name}-dashboard`, namespace, labels: dashboardLabels },
        data: { "cluster-dns.json": `${JSON.stringify(grafanaDashboard(parts), null, 2)}\n` },
      });
  }

  private addMonitor(program: ScrapedProgram, { monitors, namespace, labels }: MonitoringSettings): ApiObject {
    const metadata = { name: program.job, namespace, labels, annotations: mayBeUnknown };
    return monitors === "PodMonitor"
      ? this.add(monitors, { metadata, spec: podMonitorSpec(program) })
      : this.add("ServiceMonitor", { metadata, spec: serviceMonitorSpec(program) });
  }
}
