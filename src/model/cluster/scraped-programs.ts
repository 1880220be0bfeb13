import type { AdmissionPlan } from "../admission/plan";
import type { AuthoritativeDnsSettings } from "./authoritative-dns";
import type { NodeLocalDnsComponents } from "./node-local-dns";
import type { NodeResolverSettings } from "./node-resolver";
import type { WebhookSettings } from "./webhook";
import { cacheMetricsPort } from "../corefile/node-local-dns";
import { coreDnsMetricsPort } from "../corefile/authoritative";
import { nodeResolverMetricsPort, webhookProbePort } from "../node-programs";
import { authoritativeLabels } from "../object-names";
import { dense } from "../syntax/sparse";
import { jobs, type Job, type ScrapedProgram } from "../monitoring/jobs";

/** The components that have metrics. */
export interface MonitoredComponents extends Pick<NodeLocalDnsComponents, "nodeLocalDns" | "watchdog"> {
  readonly authoritativeDns: AuthoritativeDnsSettings | undefined;
  readonly nodeResolver: NodeResolverSettings | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly admissionPolicies: AdmissionPlan["policies"] | undefined;
}

/** The programs of a cluster whose metrics Prometheus can reach. */
export function scrapedPrograms({
  authoritativeDns,
  nodeLocalDns,
  watchdog,
  nodeResolver,
  webhook,
}: MonitoredComponents): ScrapedProgram[] {
  const isCacheReachable = nodeLocalDns && !(nodeLocalDns.queryPath.linkMadeBy && isLoopback(nodeLocalDns));
  const metrics = watchdog?.config.metrics;
  const coreDns = { podLabels: authoritativeLabels, isPortDeclared: true, hasService: true };
  return dense([
    authoritativeDns && { ...ofApp(jobs.coredns, coreDnsMetricsPort), ...coreDns },
    isCacheReachable && { ...ofApp(jobs.cache, cacheMetricsPort), hasService: true },
    metrics && metrics.address !== "127.0.0.1" && ofApp(jobs.watchdog, metrics.port),
    nodeResolver?.state === "enabled" && !isLoopback(nodeResolver) && ofApp(jobs.nodeResolver, nodeResolverMetricsPort),
    webhook && { ...ofApp(jobs.webhook, webhookProbePort), isPortDeclared: true },
  ]);
}

function ofApp(job: Job, port: number): ScrapedProgram {
  return { job, podLabels: { "k8s-app": job }, port, isPortDeclared: false, hasService: false };
}

function isLoopback({ metricsAddress }: { readonly metricsAddress: string }): boolean {
  return metricsAddress === "loopback";
}
