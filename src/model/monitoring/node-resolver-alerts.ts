import { jobs } from "./jobs";
import { alert, unreached, type Alert } from "./rule";

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
