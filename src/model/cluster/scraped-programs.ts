import type { Components } from "./components";
import { cacheMetricsPort } from "../corefile/node-local-dns";
import { coreDnsMetricsPort } from "../corefile/authoritative";
import { nodeResolverMetricsPort, webhookProbePort } from "../node-programs";
import { authoritativeLabels } from "../object-names";
import { dense } from "../syntax/sparse";
import { jobs, type Job, type ScrapedProgram } from "../monitoring/jobs";

/** The programs of a cluster whose metrics Prometheus can reach. */
export function scrapedPrograms(components: Components): ScrapedProgram[] {
  const { authoritativeDns, nodeLocalDns, watchdog, nodeResolver, webhook } = components;
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
