import { expect, it } from "vitest";
import { watchdogMetric } from "../../../../src/model/agent-config/watchdog-metrics";
import { isAlert } from "../../../../src/model/monitoring/rule";
import type { Monitored } from "./monitored";
import { readText } from "../../../../rig/repository";

/** Alerts whose real cause is not run here; docs/monitoring.md lists them. */
const notRun = [
  "CoreDNSAnswersStale",
  "CoreDNSForwardOverloaded",
  "CoreDNSPanics",
  "NodeLocalDNSBlocked",
  "NodeLocalDNSForeignListener",
  "NodeLocalDNSLeftoverRules",
  "NodeLocalDNSOftenSilent",
  "NodeLocalDNSPodLimited",
  "NodeLocalDNSRepliesLost",
  "NodeLocalDNSUnfitSetting",
  "NodeLocalDNSUnmeasured",
  "NodeLocalDNSUnusableNameserver",
  "NodeLocalDNSWatchdogDown",
  "NodeResolverDown",
  "NodeResolverHostsFileNotReplaceable",
  "ClusterDNSWebhookCertificateExpiring",
];

/** Metrics that are there only while a node has the fault. */
export const onlyInFault: readonly string[] = [
  "coredns_cache_served_stale_total",
  watchdogMetric("unfit_setting"),
  watchdogMetric("unusable_nameserver"),
];

/** After all others: what they have shown together. */
export function hasShownAll(monitored: Monitored): void {
  it("has fired every alert once, but those that docs/monitoring.md names", async () => {
    const samples = await monitored.prometheus.query(
      'count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[30m]))',
    );
    const fired = new Set(samples.map(({ metric }) => metric["alertname"]));
    const missing = monitored.rules.flatMap((rule) => (isAlert(rule) && !fired.has(rule.alert) ? [rule.alert] : []));
    expect(missing.filter((name) => !notRun.includes(name))).toEqual([]);
    const page = readText("docs/monitoring.md");
    for (const name of notRun) expect(page).toContain(`\`${name}\``);
  });

  it("has had data for everything that a rule reads", async () => {
    const selectors = new Set(
      monitored.rules.flatMap(({ expr }) => [...expr.matchAll(/\b([a-z][a-z_:]+\{[^}]*\})/g)].map(([, s]) => s ?? "")),
    );
    const without: string[] = [];
    for (const selector of selectors)
      if ((await monitored.prometheus.query(`count_over_time(${selector}[30m])`)).length === 0) without.push(selector);
    const names = without.map((selector) => selector.replace(/\{.*/, ""));
    expect(names.filter((name) => !onlyInFault.includes(name))).toEqual([]);
  });
}
