import type { MonitoredParts } from "./parts";
import { clusterDnsAlerts, coreDnsAlerts, staleAlert } from "./coredns-alerts";
import { jobs } from "./jobs";
import { cacheAlerts, watchdogAlerts, nodeResolverAlerts } from "./node-alerts";
import { isAlert, type RuleGroup } from "./rule";
import { sloGroups } from "./slo";
import { slippedThroughAlerts, webhookAlerts } from "./webhook-alerts";

/** The alerts and recording rules for what the cluster has. @param runbooks The folder of the alerts' pages, as a URL. */
export function ruleGroups(parts: MonitoredParts, runbooks: string): RuleGroup[] {
  const { domain, coredns, cache, watchdog, staleMeansFailure, nodeResolver, webhook, slippedThrough } = parts;
  const coreDnsJobs = [...(coredns ? [jobs.coredns] : []), ...(cache ? [jobs.cache] : [])];
  const asked = coreDnsJobs.at(-1);
  const groups: RuleGroup[] = [
    {
      name: "coredns",
      rules: [
        ...(coredns ? clusterDnsAlerts(coredns.replicas) : []),
        ...(asked ? coreDnsAlerts(coreDnsJobs, cache?.clusterServers ?? []) : []),
        ...(staleMeansFailure ? [staleAlert(coreDnsJobs)] : []),
      ],
    },
    {
      name: "node-local-dns",
      rules: [...(cache ? cacheAlerts() : []), ...(watchdog ? watchdogAlerts(cache) : [])],
    },
    { name: "node-resolver", rules: nodeResolver ? nodeResolverAlerts(nodeResolver.intervalSeconds) : [] },
    {
      name: "cluster-dns-webhook",
      rules: [...(webhook ? webhookAlerts(webhook.leastCertificateDays) : []), ...slippedThroughAlerts(slippedThrough)],
    },
    ...(asked ? sloGroups(asked, domain) : []),
  ];
  return groups.filter(({ rules }) => rules.length > 0).map((group) => withRunbooks(group, runbooks));
}

function withRunbooks({ name, rules }: RuleGroup, runbooks: string): RuleGroup {
  const folder = runbooks.replace(/\/$/, "");
  return {
    name,
    rules: rules.map((rule) =>
      isAlert(rule)
        ? { ...rule, annotations: { ...rule.annotations, runbook_url: `${folder}/${rule.alert}.md` } }
        : rule,
    ),
  };
}
