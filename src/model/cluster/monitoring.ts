import type { FullMonitoring } from "../full-props/fill-in";
import { dashboardRows } from "../monitoring/dashboard";
import type { ScrapedProgram } from "../monitoring/jobs";
import type { MonitoredParts } from "../monitoring/parts";
import { ruleGroups } from "../monitoring/rule-groups";
import { familyOf } from "../syntax/addresses";
import { leavesOutNodes } from "../full-props/placement";
import type { Components, WebhookSettings } from "./components";
import { scrapedPrograms } from "./scraped-programs";

export type MonitoringSettings = ReturnType<typeof monitoringSettings>;

export function monitoringSettings(
  said: FullMonitoring,
  { domain, components }: { readonly domain: string; readonly components: Components },
) {
  const programs: ScrapedProgram[] = said.monitors === "annotations" ? [] : scrapedPrograms(components);
  const parts = partsOf(domain, said.prometheusRule, components);
  return {
    ...said,
    /** What the monitors find. */
    programs,
    hasRules: said.prometheusRule && ruleGroups(parts, said.runbookBaseURL).length > 0,
    hasDashboard: said.dashboard && dashboardRows(parts).length > 0,
    parts,
  };
}

/** How long a certificate is valid at least: renewed with ten days left; by cert-manager, whose live a week, with more than two. */
export function leastCertificateDays({ certificates }: Pick<WebhookSettings, "certificates">): number {
  return certificates === "self-managed" ? 7 : 1;
}

function partsOf(domain: string, hasRules: boolean, components: Components): MonitoredParts {
  const { authoritativeDns, nodeLocalDns, watchdog, nodeResolver, webhook, admissionPolicies } = components;
  return {
    domain,
    hasRules,
    coredns: authoritativeDns && { replicas: authoritativeDns.replicas ?? authoritativeDns.autoscaler?.min },
    cache: nodeLocalDns && {
      isOnEveryNode: !leavesOutNodes(nodeLocalDns.placement),
      clusterServers: [nodeLocalDns.queryPath.clusterServers].flat().filter((server) => familyOf(server)),
      limitsPods: nodeLocalDns.nodeSetup?.config.queryLimit !== undefined,
    },
    watchdog: watchdog !== undefined,
    staleMeansFailure: staleMeansFailure(components),
    nodeResolver: nodeResolver?.state === "enabled" ? { intervalSeconds: nodeResolver.intervalSeconds } : undefined,
    webhook: webhook && { leastCertificateDays: leastCertificateDays(webhook) },
    slippedThrough: { audit: admissionPolicies?.podDnsAudit !== undefined, webhook: webhook !== undefined },
  };
}

/** An expired answer that is given first, and asked for later, says nothing about servers. */
function staleMeansFailure({ authoritativeDns, nodeLocalDns }: Components): boolean {
  const stale = [
    authoritativeDns?.names.cache.serveStale,
    authoritativeDns?.names.outside.pinned?.stale,
    nodeLocalDns?.names.clusterCache.serveStale,
    nodeLocalDns?.names.outsideCache.serveStale,
    nodeLocalDns?.names.outside.pinned?.stale,
  ].filter((settings) => settings !== undefined);
  return stale.length > 0 && stale.every(({ refresh }) => refresh === "verify");
}
