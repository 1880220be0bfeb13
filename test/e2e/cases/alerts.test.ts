import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { attempt } from "../../../rig/run";
import { tool } from "../../../rig/tools";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { isAlert } from "../../../src/model/monitoring/rule";
import { ruleGroups } from "../../../src/model/monitoring/rule-groups";
import { everyAlert } from "../../../rig/prometheus/every-alert";
import { temporaryFolder } from "../../temporary-folder";

/** Series and their values minute by minute, in promtool's notation. */
type Series = Readonly<Record<string, string>>;

/** What fires, and what is close to it, but no reason for an alert. How many alerts fire (1), and when (after 20 minutes). */
type Case = readonly [fires: Series, quiet: Series, alerts?: number, at?: string];

const coredns = 'job="coredns",pod="coredns-1",node="node-1"';
const cache = 'job="node-local-dns",pod="node-local-dns-1",node="node-1"';
const forward = 'proxy_name="forward",to="192.0.2.1:53"';
const watchdog = (metric: string, more = "", node = "node-1") =>
  `node_local_dns_watchdog_${metric}{job="node-local-dns-watchdog",node="${node}"${more}}`;
const listener = ',listener="169.254.20.10 UDP"';
const packets = (kind: string, node?: string) => watchdog("packets_total", `${listener},kind="${kind}"`, node);
const answered = (server: string, node?: string) => watchdog("cluster_dns_answered", `,server="${server}"`, node);
const resolver = (metric: string, more = "") => `node_resolver_${metric}{job="node-resolver",node="node-1"${more}}`;
const webhook = 'job="cluster-dns-webhook",pod="cluster-dns-webhook-1"';
const webhookAnswers = (path: string, answer: string) =>
  `cluster_dns_webhook_requests_total{${webhook},path="${path}",answer="${answer}"}`;
const expiry = `cluster_dns_webhook_certificate_expiry_timestamp_seconds{${webhook}}`;
const failedOpen = (name: string) => `apiserver_admission_webhook_fail_open_count{name="${name}",type="admit"}`;
const apiServer = 'job="apiserver",instance="192.0.2.6:6443"';
const auditChecks = (action: string) =>
  `apiserver_validating_admission_policy_check_total{${apiServer},policy="cluster-dns-pod-dns-audit",enforcement_action="${action}"}`;
const up = (labels: string) => `up{${labels}}`;
const inCluster = 'zone="cluster.local.",server="dns://:53"';
/** Answers faster than a second, and those up to eight. */
const durations = (metric: string, labels: string, fast: string, all: string): Series => ({
  [`${metric}_bucket{${labels},le="0.512"}`]: fast,
  [`${metric}_bucket{${labels},le="8.192"}`]: all,
  [`${metric}_bucket{${labels},le="+Inf"}`]: all,
});
const slowAnswers = (metric: string, labels: string): Case => [
  durations(metric, labels, "0+98x30", "0+100x30"),
  durations(metric, labels, "0+998x30", "0+1000x30"),
];
const dnsSeconds = "coredns_dns_request_duration_seconds";
const proxySeconds = "coredns_proxy_request_duration_seconds";
const responses = (rcode: string, labels = coredns) =>
  `coredns_dns_responses_total{${labels},${inCluster},rcode="${rcode}"}`;
const forwarded = (rcode: string) => `${proxySeconds}_count{${coredns},${forward},rcode="${rcode}"}`;
const apiRequests = (code: string) =>
  `coredns_kubernetes_rest_client_requests_total{${coredns},code="${code}",method="GET"}`;
const ofCache = (metric: string) => `coredns_cache_${metric}_total{${cache},zones="."}`;
const slo = (slow: string, all: string): Series => ({
  [`${dnsSeconds}_bucket{${cache},${inCluster},le="0.016"}`]: slow,
  [`${dnsSeconds}_count{${cache},${inCluster}}`]: all,
});
/** One series that has these values, or those. */
const one = (series: string, fires: string, quiet: string): Case => [{ [series]: fires }, { [series]: quiet }];
const healthChecks = (metric: string, labels: string) =>
  one(`coredns_${metric}_total{${labels}}`, "0+10x30", "0x5 3x25");
/** A node's queries that go past its cache because it is silent, and all others. */
const pastSilent = (past: string, requests: string, node?: string): Series => ({
  [packets("past-silent", node)]: past,
  [packets("requests", node)]: requests,
});
const flag = (metric: string, more = "", set = "1", zero = "0"): Case => [
  { [watchdog(metric, more)]: `${set}x30`, [watchdog(metric, more, "node-2")]: `${zero}x30` },
  { [watchdog(metric, more)]: `${zero}x30` },
];
const down = (job: string): Case => [
  { [up(`job="${job}",node="node-1"`)]: "1x5 0x25", [up(`job="${job}",node="node-2"`)]: "1x30" },
  // restarting
  { [up(`job="${job}",node="node-1"`)]: "1x10 0x3 1x20" },
];

const cases: Readonly<Record<string, Case>> = {
  CoreDNSDown: [
    { [up(coredns)]: "1x5 0x25" },
    { [up(coredns)]: "0x30", [up('job="coredns",pod="coredns-2"')]: "1x30" },
  ],
  CoreDNSReplicaDown: [
    // one out of reach, the other missing
    { [up(coredns)]: "0x30" },
    // a rollout
    { [up(coredns)]: "1x30", [up('job="coredns",pod="coredns-2"')]: "1x10 stale _x2 1x20" },
    2,
  ],
  CoreDNSKubernetesAPIErrors: [
    { [apiRequests("403")]: "0+2x30" },
    // a watch that began too long ago, and one API server that restarted
    { [apiRequests("410")]: "0+2x30", [apiRequests("<error>")]: "0x5 2x25" },
  ],
  CoreDNSLatencyHigh: slowAnswers(dnsSeconds, `${cache},${inCluster}`),
  CoreDNSErrorsHigh: [
    { [responses("SERVFAIL")]: "0+2x30", [responses("NOERROR")]: "0+98x30" },
    { [responses("SERVFAIL")]: "0+1x30", [responses("NXDOMAIN")]: "0+999x30" },
  ],
  CoreDNSForwardLatencyHigh: slowAnswers(proxySeconds, `${coredns},${forward},rcode="NOERROR"`),
  CoreDNSForwardErrorsHigh: [
    { [forwarded("REFUSED")]: "0+1x30", [forwarded("SERVFAIL")]: "0+1x30", [forwarded("NOERROR")]: "0+98x30" },
    { [forwarded("SERVFAIL")]: "0+1x30", [forwarded("NXDOMAIN")]: "0+999x30" },
  ],
  CoreDNSForwardHealthcheckFailureCount: healthChecks("proxy_healthcheck_failures", `${coredns},${forward}`),
  CoreDNSForwardHealthcheckBrokenCount: healthChecks("forward_healthcheck_broken", coredns),
  // a burst
  CoreDNSForwardOverloaded: one(`coredns_forward_max_concurrent_rejects_total{${cache}}`, "0+120x30", "0x5 250x25"),
  CoreDNSAnswersStale: [
    { [ofCache("served_stale")]: "0+6x30", [ofCache("requests")]: "0+100x30" },
    // a name that was deleted
    { [ofCache("served_stale")]: "0+4x30", [ofCache("requests")]: "0+100x30" },
  ],
  CoreDNSPanics: one(`coredns_panics_total{${coredns}}`, "0x15 1x15", "1x30"),
  NodeLocalDNSDown: down("node-local-dns"),
  NodeLocalDNSWatchdogDown: down("node-local-dns-watchdog"),
  NodeLocalDNSBypassed: [
    // whose cache is down
    { [watchdog("local", listener)]: "0x30", [up(cache)]: "0x30" },
    // a rollout or a restart, and a node that has no cache
    {
      [watchdog("local", listener)]: "1x5 0x5 1x20",
      [up(cache)]: "1x30",
      [watchdog("local", listener, "node-2")]: "0x30",
    },
  ],
  NodeDNSDown: [
    { [watchdog("cache_up", listener)]: "0x30", [watchdog("cluster_dns_up")]: "0x30" },
    // each node still has one of them
    {
      [watchdog("cache_up", listener)]: "0x30",
      [watchdog("cluster_dns_up")]: "1x30",
      [watchdog("cache_up", listener, "node-2")]: "1x30",
      [watchdog("cluster_dns_up", "", "node-2")]: "0x30",
    },
  ],
  NodeLocalDNSUnmeasured: one(watchdog("unmeasured_total"), "0+100x30", "0+5x30"),
  NodeLocalDNSUnusableNameserver: flag(
    "unusable_nameserver",
    ',file="/etc/resolv.conf",nameserver="10.96.0.10",fault="own"',
  ),
  // one probe out of many
  NodeLocalDNSForeignListener: one(watchdog("foreign_listener", listener), "0x17 1 0x12", "1 0x29"),
  NodeLocalDNSRepliesLost: one(watchdog("replies_lost", listener), "0x17 1 0x12", "0x30"),
  NodeLocalDNSOftenSilent: [
    { ...pastSilent("0+12x30", "0+88x30"), [packets("requests", "node-2")]: "0+88x30" },
    // a rollout, slow names now and then, and a node that asks one query a minute
    {
      ...pastSilent("0x14 300x15", "0+600x30"),
      ...pastSilent("0+60x30", "0+600x30", "node-2"),
      ...pastSilent("0+1x30", "0+0x30", "node-3"),
    },
  ],
  NodeLocalDNSPodLimited: [
    { [packets("limited")]: "0+600x30", [packets("requests", "node-2")]: "0+600x30" },
    // a pod that starts
    { [packets("limited")]: "0x10 250x20" },
  ],
  NodeLocalDNSBlocked: flag("blocked"),
  NodeLocalDNSClusterDNSUnreachable: [
    // one of two endpoints, and one family
    {
      [answered("10.96.0.10")]: "0.5x30",
      [answered("10.96.0.10", "node-2")]: "1x30",
      [answered("fd00:96::a", "node-2")]: "0x30",
    },
    // a rollout of CoreDNS
    { [answered("10.96.0.10")]: "1x10 0.5x1 1x20" },
    2,
  ],
  NodeLocalDNSUnfitSetting: flag("unfit_setting", ',setting="net.ipv4.ip_forward",value="0"'),
  NodeLocalDNSRulesNotApplied: flag("rules_applied", "", "0", "1"),
  // once, with everything
  NodeLocalDNSRepairs: one(watchdog("repairs_total", ',kind="rules"'), "0+1x30", "0x15 3x15"),
  NodeLocalDNSLeftoverRules: flag("leftover_rules"),
  NodeResolverDown: down("node-resolver"),
  NodeResolverUnresolved: [
    {
      [resolver("last_resolved_timestamp_seconds", ',service="a"')]: "0x90",
      [resolver("addresses", ',service="b",family="IPv4"')]: "0x90",
    },
    {
      [resolver("last_resolved_timestamp_seconds", ',service="a"')]: "0+60x90",
      [resolver("addresses", ',service="a",family="IPv4"')]: "1x90",
      [resolver("addresses", ',service="a",family="IPv6"')]: "0x90",
    },
    2,
    "80m",
  ],
  NodeResolverHostsFileNotReplaceable: one(resolver("hosts_file_replaceable"), "0x30", "1x30"),
  ClusterDNSWebhookDown: [
    { [up(webhook)]: "0x30" },
    { [up(webhook)]: "0x30", [up('job="cluster-dns-webhook",pod="cluster-dns-webhook-2"')]: "1x30" },
  ],
  ClusterDNSWebhookErrors: [
    { [webhookAnswers("/pods", "error_503")]: "0+2x30", [webhookAnswers("/pods", "patched")]: "0+98x30" },
    { [webhookAnswers("/pods", "denied")]: "0+98x30" },
  ],
  ClusterDNSWebhookCertificateExpiring: one(expiry, `${6.9 * 86_400}x30`, `${10 * 86_400}x30`),
  ClusterDNSPodWithoutTenantDNS: [
    // the first ever
    { [auditChecks("audit")]: "_x15 1x15", [up(apiServer)]: "1x30" },
    // Prometheus was away
    { [auditChecks("audit")]: "2x2 _x13 2x15", [up(apiServer)]: "1x2 _x13 1x15", [auditChecks("warn")]: "0+1x30" },
  ],
  ClusterDNSWebhookFailedOpen: [
    { [failedOpen("pods.webhook.cluster-dns")]: "1x15 2x15" },
    { [failedOpen("pods.other.example")]: "0+1x30" },
  ],
  ClusterDNSErrorBudgetBurn: [
    { [responses("SERVFAIL", cache)]: "0+2x90", [responses("NOERROR", cache)]: "0+98x90" },
    // 0.1%, the whole budget but no more
    { [responses("SERVFAIL", cache)]: "0+1x90", [responses("NOERROR", cache)]: "0+999x90" },
    3,
    "80m",
  ],
  ClusterDNSLatencyBudgetBurn: [slo("0+50x90", "0+100x90"), slo("0+990x90", "0+1000x90"), 3, "80m"],
};

const everywhere = everyAlert("registry.example/agent:1");
// Some nodes have no cache.
const nodeLocalDNS = { ...everywhere.nodeLocalDNS, nodePlacement: { nodeSelector: { pool: "a" } } };
const parts = clusterOf({ ...everywhere, nodeLocalDNS }).components.monitoring?.parts;
const groups = parts ? ruleGroups(parts, "https://runbooks.example") : [];
const alertNames = [...new Set(groups.flatMap(({ rules }) => rules.filter(isAlert).map((rule) => rule.alert)))];

const folder = temporaryFolder("alerts");
const rulesFile = join(folder, "rules.json");
writeFileSync(rulesFile, JSON.stringify({ groups }));

it("accepts the rules, and finds nothing to lint", () =>
  expectAccepted(["check", "rules", "--lint=all", "--lint-fatal", rulesFile]));

it.each(alertNames)("%s fires for its reason, and not for what looks like it", (name) => {
  const [fires, quiet, alerts = 1, at = "20m"] = cases[name] ?? [{}, {}];
  const expr = `count(ALERTS{alertname="${name}",alertstate="firing"})`;
  const test = (series: Series, count: number) => ({
    input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
    promql_expr_test: [{ expr, eval_time: at, exp_samples: count === 0 ? [] : [{ labels: "{}", value: count }] }],
  });
  return expectPassed([test(fires, alerts), test(quiet, 0)]);
});

const certificate = ["ClusterDNSWebhookCertificateExpiring", expiry] as const;
const ofWebhook = { pod: "cluster-dns-webhook-1" };
it.each<[name: string, series: string, values: string, labels: object, description: string]>([
  [...certificate, "0x30", ofWebhook, "cluster-dns-webhook-1 has no valid certificate; its renewal has failed."],
  [
    ...certificate,
    "600x30",
    ofWebhook,
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
    apiRequests("<error>"),
    "0+2x30",
    { pod: "coredns-1", code: "<error>" },
    "coredns-1 got no connection to the API server 10 times in 5 minutes: names of new Services and pods are missing, or all of them after a restart.",
  ],
])("%s says what its labels and value mean: %s %s", (name, series, values, labels, description) => {
  const rule = groups.flatMap(({ rules }) => rules.filter(isAlert)).find((each) => each.alert === name);
  const exp_annotations = { ...rule?.annotations, description };
  const exp_alerts = [{ exp_labels: { ...rule?.labels, ...labels }, exp_annotations }];
  const fires = { eval_time: "20m", alertname: name, exp_alerts };
  return expectPassed([{ input_series: [{ series, values }], alert_rule_test: [fires] }]);
});

it("has a case for no other alert", () => expect(Object.keys(cases).toSorted()).toEqual(alertNames.toSorted()));

/** Tests of the rules, minute by minute. */
function expectPassed(tests: readonly object[]): Promise<void> {
  const file = join(folder, "alert.test.json");
  const everyMinute = tests.map((test) => ({ interval: "1m", ...test }));
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests: everyMinute }));
  return expectAccepted(["test", "rules", file]);
}

async function expectAccepted(args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await attempt([tool("prometheus", "promtool"), ...args]);
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: "" });
}
