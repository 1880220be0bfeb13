import { type WatchdogMetric, watchdogPrefix } from "../../model/agent-config/watchdog-metrics";
import { createRegistry } from "../registry";

export function createMetrics() {
  const { counter, gauge, histogram, text } = createRegistry<WatchdogMetric>(watchdogPrefix);
  const listener = ["listener"];
  return {
    text,
    up: gauge("cache_up", "Whether the cache answered the last probe of a listener", listener),
    local: gauge("local", "Whether queries of pods go to the cache (1) or to the cluster DNS (0)", listener),
    hostLocal: gauge("host_local", "Whether queries of the node's own processes go to the cache", listener),
    sinceGood: gauge(
      "last_good_probe_age_seconds",
      "Seconds since the cache last answered a probe of a listener",
      listener,
    ),
    clusterDNS: gauge("cluster_dns_up", "Whether the cluster DNS answered the last query that bypassed the cache"),
    answered: gauge(
      "cluster_dns_answered",
      "The share of the last queries that the cluster DNS answered at an address of its Service",
      ["server"],
    ),
    repliesLost: gauge(
      "replies_lost",
      "Whether the cache receives requests but its replies do not reach pods",
      listener,
    ),
    ...metricsOfNode(gauge),
    foreign: gauge(
      "foreign_listener",
      "Whether something other than a cache of this node answered the last probe of a listener",
      listener,
    ),
    applied: gauge("rules_applied", "Whether the last write of link, addresses and rules succeeded"),
    // A cache on the same node answers in under a millisecond; misses start at 100 ms.
    seconds: histogram(
      "probe_duration_seconds",
      "Time until the cache answered a probe",
      ["protocol"],
      [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
    ),
    flips: counter("flips_total", "Changes between cache and cluster DNS", ["listener", "to", "reason"]),
    repairs: counter("repairs_total", "Repairs of what was missing or changed", ["kind"]),
    errors: counter("kernel_errors_total", "Reads and writes that the kernel or a tool refused", ["work"]),
    unmeasured: counter("unmeasured_total", "Probes that could not be sent or measured; the state does not change"),
    packets: counter(
      "packets_total",
      "UDP queries and TCP connections from pods that reached the cache, the replies to them, those that went past it because it was silent, and those above their pod's limit",
      ["listener", "kind"],
    ),
    clientsWithoutReplies: gauge(
      "clients_without_replies",
      "Pods that recently queried the cache and were sent no reply",
      listener,
    ),
  };
}

/** What somebody else has set on the node. */
function metricsOfNode(gauge: ReturnType<typeof createRegistry<WatchdogMetric>>["gauge"]) {
  return {
    blocked: gauge("blocked", "Whether the node's own packet rules would drop queries to the cache"),
    leftovers: gauge("leftover_rules", "Whether rules of an earlier installation may defeat failover on the node"),
    unusable: gauge(
      "unusable_nameserver",
      "A nameserver in the node's file that its cache cannot use for names outside",
      ["file", "nameserver", "fault"],
    ),
    unfit: gauge("unfit_setting", "A setting of the node's kernel that keeps packets of DNS back", [
      "setting",
      "value",
    ]),
  };
}
