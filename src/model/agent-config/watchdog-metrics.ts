/** The start of the names of the watchdog's metrics. */
export const watchdogPrefix = "node_local_dns_watchdog";

/** The rest of their names: the agent serves them; alerts, dashboard and doctor read them. */
export type WatchdogMetric =
  | "blocked"
  | "cache_up"
  | "clients_without_replies"
  /** The share of the last queries to an address of the cluster DNS, past the cache, that it answered; label `server`. */
  | "cluster_dns_answered"
  | "cluster_dns_up"
  | "flips_total"
  | "foreign_listener"
  | "host_local"
  | "kernel_errors_total"
  | "last_good_probe_age_seconds"
  | "leftover_rules"
  | "local"
  | "packets_total"
  | "probe_duration_seconds"
  | "probe_duration_seconds_bucket"
  | "repairs_total"
  | "replies_lost"
  | "rules_applied"
  /** 1 for each setting of the node's kernel that keeps packets of DNS back; labels `setting`, `value`. */
  | "unfit_setting"
  | "unmeasured_total"
  /** 1 for each nameserver of a node's file that its cache cannot use; labels `file`, `nameserver`, `fault`. */
  | "unusable_nameserver";

/** A lower share of answers than this is no accident. */
export const lossyShare = 0.75;

/** A larger share is no accident: a rollout or a hang lasts a second, slow names alone lead half (docs/watchdog.md). */
export const silentShare = 0.1;

export function watchdogMetric(name: WatchdogMetric): string {
  return `${watchdogPrefix}_${name}`;
}
