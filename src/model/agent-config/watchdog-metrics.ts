/** The start of the names of the watchdog's metrics. */
export const watchdogPrefix = "node_local_dns_watchdog";

/** 1 for each nameserver of a node's file that its cache cannot use; labels `file`, `nameserver`, `fault`. */
export const unusableNameserver = "unusable_nameserver";
