import { createRegistry } from "../registry";

export function createMetrics() {
  const { counter, gauge, histogram, text } = createRegistry("node_local_dns_watchdog");
  const listener = ["listener"];
  return {
    text,
    up: gauge("cache_up", "Whether the cache answered the last probe of a listener", listener),
    local: gauge("local", "Whether queries of pods go to the cache (1) or to the cluster DNS (0)", listener),
    hostLocal: gauge("host_local", "Whether queries of the node's own processes go to the cache", listener),
    sinceGood: gauge("seconds_since_good_probe", "Since the cache last answered a probe of a listener", listener),
    clusterDNS: gauge("cluster_dns_up", "Whether the cluster DNS answered when it was last asked past the cache"),
    repliesLost: gauge("replies_lost", "Whether the cache gets requests whose replies do not reach pods", listener),
    blocked: gauge("blocked", "Whether the node's own packet rules would drop queries to the cache"),
    leftovers: gauge("leftover_rules", "Whether rules of an earlier installation may defeat failover on the node"),
    foreign: gauge(
      "foreign_listener",
      "Whether something other than a cache of this node answered the last probe of a listener",
      listener,
    ),
    applied: gauge("rules_applied", "Whether the last write of link, addresses and rules succeeded"),
    // A cache on the same node answers in under a millisecond; misses start at 100 ms.
    seconds: histogram(
      "probe_seconds",
      "Time until the cache answered a probe",
      ["protocol"],
      [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
    ),
    flips: counter("flips_total", "Changes between cache and cluster DNS", ["listener", "to", "reason"]),
    repairs: counter("repairs_total", "What was found missing or changed and put right", ["kind"]),
    errors: counter("kernel_errors_total", "Writes and readings that the kernel or a tool refused", ["work"]),
    unmeasured: counter("unmeasured_total", "Probes that could not be made; the state is held"),
    packets: counter(
      "packets_total",
      "Questions over UDP and connections over TCP by which pods reached the cache, and replies to them",
      ["listener", "kind"],
    ),
    clientsWithoutReplies: gauge(
      "clients_without_replies",
      "Pods that asked the cache lately and were sent no reply",
      listener,
    ),
  };
}
