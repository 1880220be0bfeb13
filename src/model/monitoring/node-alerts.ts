import { lossyShare, silentShare, type WatchdogMetric, watchdogMetric } from "../agent-config/watchdog-metrics";
import { noNameserver } from "../query-path/nameservers";
import { jobs } from "./jobs";
import type { MonitoredParts } from "./parts";
import { alert, unreached, type Alert } from "./rule";

export function cacheAlerts(): Alert[] {
  const job = jobs.cache;
  return [
    alert("NodeLocalDNSDown", "warning", {
      expr: `up{job="${job}"} == 0 or absent(up{job="${job}"})`,
      summary: "A node cache does not answer Prometheus",
      description: `${unreached("cache")} Pods use the cluster DNS if it is down.`,
    }),
  ];
}

/** Alerts on the path of queries on each node, as the watchdog sees it. @param cache Undefined while draining. */
export function watchdogAlerts(cache: MonitoredParts["cache"]): Alert[] {
  const job = jobs.watchdog;
  const of = (metric: WatchdogMetric) => `${watchdogMetric(metric)}{job="${job}"}`;
  const cluster = `min by (node) (${of("cluster_dns_up")}) == 0`;
  return [
    alert("NodeLocalDNSWatchdogDown", "warning", {
      expr: `up{job="${job}"} == 0 or absent(up{job="${job}"})`,
      summary: "A node's DNS watchdog does not answer Prometheus",
      description: `${unreached("watchdog")} The kernel still sends queries past a dead cache, but nothing notices one that answers wrongly.`,
    }),
    ...(cache ? [...pastCacheAlerts(of, cluster, cache.isOnEveryNode), silentAlert(), ...replyAlerts(of)] : []),
    ...(cache?.limitsPods ? [limitAlert()] : []),
    alert("NodeLocalDNSRulesNotApplied", "warning", {
      expr: `min by (node) (${of("rules_applied")}) == 0`,
      summary: "Link or packet rules of a node cannot be written",
      description: "On {{ $labels.node }}, the watchdog has failed for 5 minutes to write link, addresses or rules.",
    }),
    alert("NodeLocalDNSRepairs", "warning", {
      expr: `sum by (node) (increase(${of("repairs_total")}[10m])) > 3`,
      wait: "0m",
      summary: "Something removes a node's DNS rules",
      description:
        "On {{ $labels.node }}, link, addresses or rules were repaired {{ $value | printf `%.0f` }} times in 10 minutes.",
    }),
    alert("NodeLocalDNSUnfitSetting", "warning", {
      expr: `max by (node, setting, value) (${of("unfit_setting")}) == 1`,
      summary: "A setting of a node's kernel keeps packets of DNS back",
      description: "On {{ $labels.node }}, {{ $labels.setting }} is {{ $labels.value }}.",
    }),
    alert("NodeLocalDNSLeftoverRules", "warning", {
      expr: `max by (node) (${of("leftover_rules")}) == 1`,
      summary: "Rules of an earlier node-local-dns may defeat failover",
      description: "On {{ $labels.node }}, node-setup could not remove rules of an earlier installation.",
    }),
  ];
}

function pastCacheAlerts(
  of: (metric: WatchdogMetric) => string,
  cluster: string,
  isCacheOnEveryNode: boolean,
): Alert[] {
  // The watchdog may be on nodes without a cache. One whose cache is down still has an `up`, of 0.
  const whereItIs = isCacheOnEveryNode ? "" : ` and on (node) up{job="${jobs.cache}"}`;
  return [
    alert("NodeLocalDNSBypassed", "warning", {
      expr: `min by (node) (${of("local")}) == 0${whereItIs}`,
      wait: "10m",
      summary: "A node's queries go past its cache",
      description: "On {{ $labels.node }}, queries have gone to the cluster DNS instead of the cache for 10 minutes.",
    }),
    // Asked to judge the cache, and so never while draining.
    alert("NodeLocalDNSClusterDNSUnreachable", "warning", {
      // Where one of two endpoints is dead, every other query is answered, and the watchdog asks again.
      expr: `min by (node, server) (avg_over_time(${of("cluster_dns_answered")}[10m])) < ${lossyShare}`,
      summary: "A node does not reach the cluster DNS, or not always",
      description:
        "On {{ $labels.node }}, only {{ $value | humanizePercentage }} of the queries past the cache to {{ $labels.server }} had an answer in 10 minutes.",
    }),
    alert("NodeDNSDown", "critical", {
      expr: `max by (node) (${of("cache_up")}) == 0 and on (node) ${cluster}`,
      wait: "1m",
      summary: "A node has no DNS",
      description: "On {{ $labels.node }}, neither the cache nor the cluster DNS answers.",
    }),
    alert("NodeLocalDNSUnmeasured", "warning", {
      expr: `sum by (node) (increase(${of("unmeasured_total")}[10m])) > 100`,
      wait: "0m",
      summary: "A node's cache cannot be probed",
      description:
        "On {{ $labels.node }}, {{ $value | printf `%.0f` }} probes in 10 minutes could not be sent. The watchdog changes nothing meanwhile.",
    }),
    alert("NodeLocalDNSUnusableNameserver", "warning", {
      expr: `max by (node, file, nameserver, fault) (${of("unusable_nameserver")}) == 1`,
      summary: "A node's resolv.conf leads its cache back to itself, or nowhere",
      description: `{{ $labels.file }} of {{ $labels.node }} {{ if eq $labels.fault "${noNameserver}" }}names no nameserver{{ else }}has the line "nameserver {{ $labels.nameserver }}", {{ if eq $labels.fault "own" }}which is the cluster's own DNS{{ else }}where pods reach only themselves{{ end }}{{ end }}. The cache asks the other servers, or the cluster DNS; pods with dnsPolicy Default, CoreDNS's among them, ask this one.`,
    }),
    alert("NodeLocalDNSForeignListener", "warning", {
      // It comes and goes: of two programs on a port, the kernel picks one for each probe.
      expr: `max by (node, listener) (max_over_time(${of("foreign_listener")}[5m])) == 1`,
      wait: "0m",
      summary: "Another program answers at the node cache's address",
      description: "On {{ $labels.node }}, something other than the cache answered a probe of {{ $labels.listener }}.",
    }),
  ];
}

/** The kernel counts them only while the watchdog leads queries to the cache. */
function silentAlert(): Alert {
  const past = packetRate('kind="past-silent"', "10m");
  return alert("NodeLocalDNSOftenSilent", "warning", {
    // Of a few queries, a single one would be a large share.
    expr: `${past} / ${packetRate('kind=~"requests|past-silent"', "10m")} > ${silentShare} and ${past} > 0.1`,
    summary: "Queries go past a node cache that answers its watchdog",
    description:
      "On {{ $labels.node }}, {{ $value | humanizePercentage }} of the queries in 10 minutes went to the cluster DNS, because the cache left queries unanswered. The cache answers the watchdog.",
  });
}

function packetRate(kind: string, window: string): string {
  return `sum by (node) (rate(${watchdogMetric("packets_total")}{job="${jobs.watchdog}",${kind}}[${window}]))`;
}

function limitAlert(): Alert {
  return alert("NodeLocalDNSPodLimited", "warning", {
    expr: `${packetRate('kind="limited"', "5m")} > 1`,
    summary: "A pod sends its node's cache more queries than it may",
    description:
      "On {{ $labels.node }}, {{ $value | printf `%.0f` }} queries a second are dropped, because their pod sends more than nodeLocalDNS.queryLimit.",
  });
}

function replyAlerts(of: (metric: WatchdogMetric) => string): Alert[] {
  return [
    alert("NodeLocalDNSRepliesLost", "warning", {
      // The watchdog tries again every minute or less often, which clears it for a moment.
      expr: `max by (node, listener) (max_over_time(${of("replies_lost")}[5m])) == 1`,
      wait: "0m",
      summary: "Replies of a node cache do not reach pods",
      description:
        "On {{ $labels.node }}, requests reach {{ $labels.listener }} but replies do not leave the node; its pods use the cluster DNS.",
    }),
    alert("NodeLocalDNSBlocked", "warning", {
      expr: `max by (node) (${of("blocked")}) == 1`,
      summary: "A node's own packet rules drop queries to its cache",
      description: "On {{ $labels.node }}, the INPUT policy drops what our rules accept, so the cache is not used.",
    }),
  ];
}

/** @param intervalSeconds How often it looks up its Services. */
export function nodeResolverAlerts(intervalSeconds: number): Alert[] {
  const job = `job="${jobs.nodeResolver}"`;
  const stale = Math.max(900, 3 * intervalSeconds);
  return [
    alert("NodeResolverDown", "warning", {
      expr: `up{${job}} == 0 or absent(up{${job}})`,
      summary: "A node-resolver does not answer Prometheus",
      description: `${unreached("node-resolver")} The hosts file keeps its lines.`,
    }),
    alert("NodeResolverUnresolved", "warning", {
      expr: `time() - max by (node, service) (node_resolver_last_resolved_timestamp_seconds{${job}}) > ${stale} or sum by (node, service) (node_resolver_addresses{${job}}) == 0`,
      summary: "A Service for the hosts file does not resolve",
      description:
        "On {{ $labels.node }}, {{ $labels.service }} has no address, or the cluster DNS has not been able to say which. The hosts file keeps the last known ones.",
    }),
    alert("NodeResolverHostsFileNotReplaceable", "warning", {
      expr: `min by (node) (node_resolver_hosts_file_replaceable{${job}}) == 0`,
      summary: "A node's hosts file cannot be brought up to date",
      description: "On {{ $labels.node }}, /etc/hosts cannot be replaced; see node_resolver_hosts_file_failures_total.",
    }),
  ];
}
