import { HostsFileError } from "../hosts-file/error";
import { createRegistry } from "../registry";
import type { Round } from "./round";

export function createMetrics() {
  const { counter, gauge, text } = createRegistry("node_resolver");
  const addresses = gauge("addresses", "Addresses in the last DNS answer for a service", ["service", "family"]);
  const resolved = gauge("last_resolved_timestamp_seconds", "When a service last resolved to an address", ["service"]);
  const lookupFailures = counter("lookup_failures_total", "Lookups without a trustworthy answer");
  const replaceable = gauge("hosts_file_replaceable", "Whether the hosts file is, or could be brought, up to date");
  const replacements = counter("hosts_file_replacements_total", "Replacements of the hosts file");
  const failures = counter("hosts_file_failures_total", "Failures to replace the hosts file", ["reason"]);

  return {
    text,
    observe({ services, lookupFailures: failed, hostsFile }: Round): void {
      for (const { service, answers } of services) {
        for (const family of ["IPv4", "IPv6"] as const) {
          const answer = answers[family];
          if (answer === "failed") continue;
          const found = answer === "NXDOMAIN" ? 0 : answer.length;
          addresses.set({ service, family }, found);
          if (found > 0) resolved.set({ service }, Date.now() / 1000);
        }
      }
      lookupFailures.inc(failed.length);
      if (hostsFile === "untouched") return;
      replaceable.set(hostsFile instanceof HostsFileError ? 0 : 1);
      if (hostsFile === "replaced") replacements.inc();
      if (hostsFile instanceof HostsFileError) failures.inc({ reason: hostsFile.reason });
    },
  };
}
