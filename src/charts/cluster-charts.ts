import { App, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { AdmissionPolicies } from "../constructs/admission-policies";
import { AuthoritativeDns } from "../constructs/authoritative-dns";
import { Cleanup } from "../constructs/cleanup";
import { NodeLocalDns } from "../constructs/node-local-dns";
import { NodeResolver } from "../constructs/node-resolver";
import { Tenancy } from "../constructs/tenancy";
import { Watchdog } from "../constructs/watchdog";
import { Webhook } from "../constructs/webhook";
import {
  admissionPolicyProps,
  authoritativeDnsProps,
  cleanupProps,
  nodeLocalDnsProps,
  nodeResolverProps,
  tenancyProps,
  watchdogProps,
  webhookProps,
} from "../model/components";
import { kubeletConfiguration } from "../model/kubelet";
import type { ClusterDnsProps } from "../model/props/cluster-dns";

/** An object as it is applied. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface RenderedCluster {
  /** What is applied: components in their order, each with its objects in theirs. */
  readonly components: readonly { readonly name: string; readonly objects: readonly KubernetesObject[] }[];
  /** What kubelets must be told: files that lie beside what is applied. */
  readonly kubelet: readonly { readonly fileName: string; readonly object: object }[];
}

/**
 * Renders a cluster: one chart a component, in an app of its own, because the cost of one shared app grows with the square
 * of its charts.
 * @throws Error with everything that is wrong with the props.
 */
export function renderCluster(props: ClusterDnsProps): RenderedCluster {
  const app = new App();
  const components = clusterCharts(app, props).map((chart) => ({
    name: chart.node.id,
    objects: chart.toJson() as KubernetesObject[],
  }));
  const kubelet = kubeletConfiguration(props);
  return {
    components,
    kubelet: [
      // For `--config-dir` of the kubelet (Kubernetes 1.30), which takes files that end in .conf.
      { fileName: "50-cluster-dns.conf", object: kubelet },
      // For `kubeadm init|join|upgrade --patches`: target, then patch type.
      { fileName: "kubeletconfiguration+strategic.yaml", object: kubelet },
    ],
  };
}

function clusterCharts(app: App, props: ClusterDnsProps): Chart[] {
  const charts: Chart[] = [];
  const add = (name: string, fill: (chart: Construct) => unknown) => {
    const chart = new Chart(app, name, { disableResourceNameHashes: true });
    fill(chart);
    charts.push(chart);
  };
  const tenancy = tenancyProps(props);
  if (tenancy) add("tenancy", (chart) => new Tenancy(chart, "dns", tenancy));
  const authoritative = authoritativeDnsProps(props);
  if (authoritative) add("authoritative-dns", (chart) => new AuthoritativeDns(chart, "dns", authoritative));
  const nodeLocal = nodeLocalDnsProps(props);
  if (nodeLocal) add("node-local-dns", (chart) => new NodeLocalDns(chart, "dns", nodeLocal));
  const watchdog = watchdogProps(props);
  if (watchdog) add("watchdog", (chart) => new Watchdog(chart, "dns", watchdog));
  const cleanup = cleanupProps(props);
  if (cleanup) add("cleanup", (chart) => new Cleanup(chart, "dns", cleanup));
  const nodeResolver = nodeResolverProps(props);
  if (nodeResolver) add("node-resolver", (chart) => new NodeResolver(chart, "dns", nodeResolver));
  // Last: what admission refuses is there by then, and the first apply of it is nobody's change.
  const policies = admissionPolicyProps(props);
  if (policies) add("admission-policies", (chart) => new AdmissionPolicies(chart, "dns", policies));
  const webhook = webhookProps(props);
  if (webhook) add("webhook", (chart) => new Webhook(chart, "dns", webhook));
  return charts;
}
