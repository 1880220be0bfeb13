import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { attempt } from "../../../rig/run";
import { tool } from "../../../rig/tools";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { isAlert, type RuleGroup } from "../../../src/model/monitoring/rule";
import { ruleGroups } from "../../../src/model/monitoring/rule-groups";
import { everyAlert } from "../../../rig/prometheus/every-alert";

/** Series and their values minute by minute, in promtool's notation. */
type Series = Readonly<Record<string, string>>;

interface Case {
  readonly fires: Series;
  /** Close to it, but no reason for an alert. */
  readonly quiet: Series;
  /** How many alerts fire. Default: 1. */
  readonly alerts?: number;
  readonly at?: string;
}

const coredns = 'job="coredns",pod="coredns-1",node="node-1"';
const cache = 'job="node-local-dns",pod="node-local-dns-1",node="node-1"';
const forward = 'proxy_name="forward",to="192.0.2.1:53"';
const watchdog = (metric: string, more = "", node = "node-1") =>
  `node_local_dns_watchdog_${metric}{job="node-local-dns-watchdog",node="${node}"${more}}`;
const listener = ',listener="169.254.20.10 UDP"';
const resolver = 'job="node-resolver",node="node-1"';
const webhook = 'job="cluster-dns-webhook",pod="cluster-dns-webhook-1"';
const apiServer = 'job="apiserver",instance="192.0.2.6:6443"';
const up = (labels: string) => `up{${labels}}`;
const inCluster = 'zone="cluster.local.",server="dns://:53"';
/** Answers faster than a second, and those up to eight. */
const durations = (metric: string, labels: string, fast: string, all: string): Series => ({
  [`${metric}_bucket{${labels},le="0.512"}`]: fast,
  [`${metric}_bucket{${labels},le="8.192"}`]: all,
  [`${metric}_bucket{${labels},le="+Inf"}`]: all,
});
const dnsSeconds = "coredns_dns_request_duration_seconds";
const proxySeconds = "coredns_proxy_request_duration_seconds";
const responses = (rcode: string, labels = coredns) =>
  `coredns_dns_responses_total{${labels},${inCluster},rcode="${rcode}"}`;
const slo = (slow: string, all: string): Series => ({
  [`${dnsSeconds}_bucket{${cache},${inCluster},le="0.016"}`]: slow,
  [`${dnsSeconds}_count{${cache},${inCluster}}`]: all,
});
const flag = (metric: string, more = "", one = "1", zero = "0"): Case => ({
  fires: { [watchdog(metric, more)]: `${one}x30`, [watchdog(metric, more, "node-2")]: `${zero}x30` },
  quiet: { [watchdog(metric, more)]: `${zero}x30` },
});
const down = (job: string): Case => ({
  fires: { [up(`job="${job}",node="node-1"`)]: "1x5 0x25", [up(`job="${job}",node="node-2"`)]: "1x30" },
  // restarting
  quiet: { [up(`job="${job}",node="node-1"`)]: "1x10 0x3 1x20" },
});

const cases: Readonly<Record<string, Case>> = {
  CoreDNSDown: {
    fires: { [up(coredns)]: "1x5 0x25" },
    quiet: { [up(coredns)]: "0x30", [up('job="coredns",pod="coredns-2"')]: "1x30" },
  },
  CoreDNSReplicaDown: {
    // one out of reach, the other missing
    fires: { [up(coredns)]: "0x30" },
    // a rollout
    quiet: { [up(coredns)]: "1x30", [up('job="coredns",pod="coredns-2"')]: "1x10 stale _x2 1x20" },
    alerts: 2,
  },
  CoreDNSKubernetesAPIErrors: {
    fires: { [`coredns_kubernetes_rest_client_requests_total{${coredns},code="403",method="GET"}`]: "0+2x30" },
    // a watch that began too long ago, and one API server that restarted
    quiet: {
      [`coredns_kubernetes_rest_client_requests_total{${coredns},code="410",method="GET"}`]: "0+2x30",
      [`coredns_kubernetes_rest_client_requests_total{${coredns},code="<error>",method="GET"}`]: "0x5 2x25",
    },
  },
  CoreDNSLatencyHigh: {
    fires: durations(dnsSeconds, `${cache},${inCluster}`, "0+98x30", "0+100x30"),
    quiet: durations(dnsSeconds, `${cache},${inCluster}`, "0+998x30", "0+1000x30"),
  },
  CoreDNSErrorsHigh: {
    fires: { [responses("SERVFAIL")]: "0+2x30", [responses("NOERROR")]: "0+98x30" },
    quiet: { [responses("SERVFAIL")]: "0+1x30", [responses("NXDOMAIN")]: "0+999x30" },
  },
  CoreDNSForwardLatencyHigh: {
    fires: durations(proxySeconds, `${coredns},${forward},rcode="NOERROR"`, "0+98x30", "0+100x30"),
    quiet: durations(proxySeconds, `${coredns},${forward},rcode="NOERROR"`, "0+998x30", "0+1000x30"),
  },
  CoreDNSForwardErrorsHigh: {
    fires: {
      [`${proxySeconds}_count{${coredns},${forward},rcode="SERVFAIL"}`]: "0+2x30",
      [`${proxySeconds}_count{${coredns},${forward},rcode="NOERROR"}`]: "0+98x30",
    },
    quiet: {
      [`${proxySeconds}_count{${coredns},${forward},rcode="SERVFAIL"}`]: "0+1x30",
      [`${proxySeconds}_count{${coredns},${forward},rcode="NOERROR"}`]: "0+999x30",
    },
  },
  CoreDNSForwardHealthcheckFailureCount: {
    fires: { [`coredns_proxy_healthcheck_failures_total{${coredns},${forward}}`]: "0+10x30" },
    quiet: { [`coredns_proxy_healthcheck_failures_total{${coredns},${forward}}`]: "0x5 3x25" },
  },
  CoreDNSForwardHealthcheckBrokenCount: {
    fires: { [`coredns_forward_healthcheck_broken_total{${coredns}}`]: "0+10x30" },
    quiet: { [`coredns_forward_healthcheck_broken_total{${coredns}}`]: "0x5 3x25" },
  },
  CoreDNSForwardOverloaded: {
    fires: { [`coredns_forward_max_concurrent_rejects_total{${cache}}`]: "0+120x30" },
    // a burst
    quiet: { [`coredns_forward_max_concurrent_rejects_total{${cache}}`]: "0x5 250x25" },
  },
  CoreDNSAnswersStale: {
    fires: {
      [`coredns_cache_served_stale_total{${cache},zones="."}`]: "0+6x30",
      [`coredns_cache_requests_total{${cache},zones="."}`]: "0+100x30",
    },
    // a name that was deleted
    quiet: {
      [`coredns_cache_served_stale_total{${cache},zones="."}`]: "0+4x30",
      [`coredns_cache_requests_total{${cache},zones="."}`]: "0+100x30",
    },
  },
  CoreDNSPanics: {
    fires: { [`coredns_panics_total{${coredns}}`]: "0x15 1x15" },
    quiet: { [`coredns_panics_total{${coredns}}`]: "1x30" },
  },
  NodeLocalDNSDown: down("node-local-dns"),
  NodeLocalDNSWatchdogDown: down("node-local-dns-watchdog"),
  NodeLocalDNSBypassed: {
    // whose cache is down
    fires: { [watchdog("local", listener)]: "0x30", [up(cache)]: "0x30" },
    // a rollout or a restart, and a node that has no cache
    quiet: {
      [watchdog("local", listener)]: "1x5 0x5 1x20",
      [up(cache)]: "1x30",
      [watchdog("local", listener, "node-2")]: "0x30",
    },
  },
  NodeDNSDown: {
    fires: { [watchdog("cache_up", listener)]: "0x30", [watchdog("cluster_dns_up")]: "0x30" },
    // each node still has one of them
    quiet: {
      [watchdog("cache_up", listener)]: "0x30",
      [watchdog("cluster_dns_up")]: "1x30",
      [watchdog("cache_up", listener, "node-2")]: "1x30",
      [watchdog("cluster_dns_up", "", "node-2")]: "0x30",
    },
  },
  NodeLocalDNSUnmeasured: {
    fires: { [watchdog("unmeasured_total")]: "0+100x30" },
    quiet: { [watchdog("unmeasured_total")]: "0+5x30" },
  },
  NodeLocalDNSUnusableNameserver: flag(
    "unusable_nameserver",
    ',file="/etc/resolv.conf",nameserver="10.96.0.10",fault="own"',
  ),
  NodeLocalDNSForeignListener: {
    // one probe out of many
    fires: { [watchdog("foreign_listener", listener)]: "0x17 1 0x12" },
    quiet: { [watchdog("foreign_listener", listener)]: "1 0x29" },
  },
  NodeLocalDNSRepliesLost: {
    fires: { [watchdog("replies_lost", listener)]: "0x17 1 0x12" },
    quiet: { [watchdog("replies_lost", listener)]: "0x30" },
  },
  NodeLocalDNSOftenSilent: {
    fires: {
      [watchdog("packets_total", `${listener},kind="past-silent"`)]: "0+12x30",
      [watchdog("packets_total", `${listener},kind="requests"`)]: "0+88x30",
      [watchdog("packets_total", `${listener},kind="requests"`, "node-2")]: "0+88x30",
    },
    // a rollout, slow names now and then, and a node that asks one query a minute
    quiet: {
      [watchdog("packets_total", `${listener},kind="past-silent"`)]: "0x14 300x15",
      [watchdog("packets_total", `${listener},kind="requests"`)]: "0+600x30",
      [watchdog("packets_total", `${listener},kind="past-silent"`, "node-2")]: "0+60x30",
      [watchdog("packets_total", `${listener},kind="requests"`, "node-2")]: "0+600x30",
      [watchdog("packets_total", `${listener},kind="past-silent"`, "node-3")]: "0+1x30",
      [watchdog("packets_total", `${listener},kind="requests"`, "node-3")]: "0+0x30",
    },
  },
  NodeLocalDNSPodLimited: {
    fires: {
      [watchdog("packets_total", `${listener},kind="limited"`)]: "0+600x30",
      [watchdog("packets_total", `${listener},kind="requests"`, "node-2")]: "0+600x30",
    },
    // a pod that starts
    quiet: { [watchdog("packets_total", `${listener},kind="limited"`)]: "0x10 250x20" },
  },
  NodeLocalDNSBlocked: flag("blocked"),
  NodeLocalDNSClusterDNSUnreachable: {
    // one of two endpoints, and one family
    fires: {
      [watchdog("cluster_dns_answered", ',server="10.96.0.10"')]: "0.5x30",
      [watchdog("cluster_dns_answered", ',server="10.96.0.10"', "node-2")]: "1x30",
      [watchdog("cluster_dns_answered", ',server="fd00:96::a"', "node-2")]: "0x30",
    },
    // a rollout of CoreDNS
    quiet: { [watchdog("cluster_dns_answered", ',server="10.96.0.10"')]: "1x10 0.5x1 1x20" },
    alerts: 2,
  },
  NodeLocalDNSUnfitSetting: flag("unfit_setting", ',setting="net.ipv4.ip_forward",value="0"'),
  NodeLocalDNSRulesNotApplied: flag("rules_applied", "", "0", "1"),
  NodeLocalDNSRepairs: {
    fires: { [watchdog("repairs_total", ',kind="rules"')]: "0+1x30" },
    // once, with everything
    quiet: { [watchdog("repairs_total", ',kind="rules"')]: "0x15 3x15" },
  },
  NodeLocalDNSLeftoverRules: flag("leftover_rules"),
  NodeResolverDown: down("node-resolver"),
  NodeResolverUnresolved: {
    fires: {
      [`node_resolver_last_resolved_timestamp_seconds{${resolver},service="a"}`]: "0x90",
      [`node_resolver_addresses{${resolver},service="b",family="IPv4"}`]: "0x90",
    },
    quiet: {
      [`node_resolver_last_resolved_timestamp_seconds{${resolver},service="a"}`]: "0+60x90",
      [`node_resolver_addresses{${resolver},service="a",family="IPv4"}`]: "1x90",
      [`node_resolver_addresses{${resolver},service="a",family="IPv6"}`]: "0x90",
    },
    alerts: 2,
    at: "80m",
  },
  NodeResolverHostsFileNotReplaceable: {
    fires: { [`node_resolver_hosts_file_replaceable{${resolver}}`]: "0x30" },
    quiet: { [`node_resolver_hosts_file_replaceable{${resolver}}`]: "1x30" },
  },
  ClusterDNSWebhookDown: {
    fires: { [up(webhook)]: "0x30" },
    quiet: { [up(webhook)]: "0x30", [up('job="cluster-dns-webhook",pod="cluster-dns-webhook-2"')]: "1x30" },
  },
  ClusterDNSWebhookErrors: {
    fires: {
      [`cluster_dns_webhook_requests_total{${webhook},path="/pods",answer="error_503"}`]: "0+2x30",
      [`cluster_dns_webhook_requests_total{${webhook},path="/pods",answer="patched"}`]: "0+98x30",
    },
    quiet: { [`cluster_dns_webhook_requests_total{${webhook},path="/pods",answer="denied"}`]: "0+98x30" },
  },
  ClusterDNSWebhookCertificateExpiring: {
    fires: { [`cluster_dns_webhook_certificate_expiry_timestamp_seconds{${webhook}}`]: `${6.9 * 86_400}x30` },
    quiet: { [`cluster_dns_webhook_certificate_expiry_timestamp_seconds{${webhook}}`]: `${10 * 86_400}x30` },
  },
  ClusterDNSPodWithoutTenantDNS: {
    // the first ever
    fires: { [auditChecks("audit")]: "_x15 1x15", [up(apiServer)]: "1x30" },
    // Prometheus was away
    quiet: {
      [auditChecks("audit")]: "2x2 _x13 2x15",
      [up(apiServer)]: "1x2 _x13 1x15",
      [auditChecks("warn")]: "0+1x30",
    },
  },
  ClusterDNSWebhookFailedOpen: {
    fires: { 'apiserver_admission_webhook_fail_open_count{name="pods.webhook.cluster-dns",type="admit"}': "1x15 2x15" },
    quiet: { 'apiserver_admission_webhook_fail_open_count{name="pods.other.example",type="admit"}': "0+1x30" },
  },
  ClusterDNSErrorBudgetBurn: {
    fires: { [responses("SERVFAIL", cache)]: "0+2x90", [responses("NOERROR", cache)]: "0+98x90" },
    // 0.1%, the whole budget but no more
    quiet: { [responses("SERVFAIL", cache)]: "0+1x90", [responses("NOERROR", cache)]: "0+999x90" },
    alerts: 3,
    at: "80m",
  },
  ClusterDNSLatencyBudgetBurn: {
    fires: slo("0+50x90", "0+100x90"),
    quiet: slo("0+990x90", "0+1000x90"),
    alerts: 3,
    at: "80m",
  },
};

function auditChecks(action: string): string {
  return `apiserver_validating_admission_policy_check_total{${apiServer},policy="cluster-dns-pod-dns-audit",enforcement_action="${action}"}`;
}

const everywhere = everyAlert("registry.example/agent:1");
// Some nodes have no cache.
const nodeLocalDNS = { ...everywhere.nodeLocalDNS, nodePlacement: { nodeSelector: { pool: "a" } } };
const parts = clusterOf({ ...everywhere, nodeLocalDNS }).components.monitoring?.parts;
const groups = parts ? ruleGroups(parts, "https://runbooks.example") : [];
const alertNames = [...new Set(groups.flatMap(({ rules }) => rules.filter(isAlert).map((rule) => rule.alert)))];

describe("promtool", () => {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("accepts the rules, and finds nothing to lint", async () => {
    const { code, stdout, stderr } = await promtool([
      "check",
      "rules",
      "--lint=all",
      "--lint-fatal",
      rulesFile(groups),
    ]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: "" });
  });

  it.each(alertNames)("%s fires for its reason, and not for what looks like it", async (name) => {
    const { fires, quiet, alerts = 1, at = "20m" } = cases[name] ?? { fires: {}, quiet: {} };
    const test = (series: Series, count: number) => ({
      interval: "1m",
      input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
          eval_time: at,
          exp_samples: count === 0 ? [] : [{ labels: "{}", value: count }],
        },
      ],
    });
    const file = join(folder, `${name}.test.json`);
    const tests = [test(fires, alerts), test(quiet, 0)];
    writeFileSync(file, JSON.stringify({ rule_files: [rulesFile(groups)], evaluation_interval: "1m", tests }));
    const { code, stdout, stderr } = await promtool(["test", "rules", file]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: "" });
  });

  it.each<[name: string, series: string, values: string, labels: object, description: string]>([
    [
      "ClusterDNSWebhookCertificateExpiring",
      `cluster_dns_webhook_certificate_expiry_timestamp_seconds{${webhook}}`,
      "0x30",
      { pod: "cluster-dns-webhook-1" },
      "cluster-dns-webhook-1 has no valid certificate; its renewal has failed.",
    ],
    [
      "ClusterDNSWebhookCertificateExpiring",
      `cluster_dns_webhook_certificate_expiry_timestamp_seconds{${webhook}}`,
      "600x30",
      { pod: "cluster-dns-webhook-1" },
      "The certificate of cluster-dns-webhook-1 has expired; its renewal has failed.",
    ],
    [
      "CoreDNSForwardHealthcheckFailureCount",
      'coredns_proxy_healthcheck_failures_total{job="node-local-dns",proxy_name="forward",to="169.254.20.12:53"}',
      "0+10x30",
      { job: "node-local-dns", to: "169.254.20.12:53" },
      "169.254.20.12:53 (the cluster DNS) does not answer the health checks of node-local-dns.",
    ],
    [
      "CoreDNSKubernetesAPIErrors",
      `coredns_kubernetes_rest_client_requests_total{${coredns},code="<error>",method="GET"}`,
      "0+2x30",
      { pod: "coredns-1", code: "<error>" },
      "coredns-1 got no connection to the API server 10 times in 5 minutes: names of new Services and pods are missing, or all of them after a restart.",
    ],
  ])("%s says what its labels and value mean: %s %s", async (name, series, values, labels, description) => {
    const rule = groups.flatMap(({ rules }) => rules.filter(isAlert)).find((each) => each.alert === name);
    const exp_alerts = [
      { exp_labels: { ...rule?.labels, ...labels }, exp_annotations: { ...rule?.annotations, description } },
    ];
    const test = {
      interval: "1m",
      input_series: [{ series, values }],
      alert_rule_test: [{ eval_time: "20m", alertname: name, exp_alerts }],
    };
    const file = join(folder, "text.test.json");
    writeFileSync(file, JSON.stringify({ rule_files: [rulesFile(groups)], evaluation_interval: "1m", tests: [test] }));
    const { code, stdout, stderr } = await promtool(["test", "rules", file]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: "" });
  });

  it("has a case for no other alert", () => expect(Object.keys(cases).toSorted()).toEqual(alertNames.toSorted()));

  function rulesFile(all: readonly RuleGroup[]): string {
    const file = join(folder, "rules.json");
    writeFileSync(file, JSON.stringify({ groups: all }));
    return file;
  }

  function promtool(args: readonly string[]) {
    return attempt([tool("prometheus", "promtool"), ...args]);
  }
});
