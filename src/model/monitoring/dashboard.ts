import { type WatchdogMetric, watchdogMetric } from "../agent-config/watchdog-metrics";
import { jobs } from "./jobs";
import type { MonitoredParts } from "./parts";

// Plain values, not Grafana's foundation SDK: that is still at 0.0.x, has an API for every panel that exists, and would
// be a dependency of everybody who synthesizes, for the two kinds of panels below.

/** A graph of some queries. */
export interface Panel {
  readonly title: string;
  readonly unit: "reqps" | "percentunit" | "s" | "short";
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

/** The panels for what the cluster has, in rows. */
export function dashboardRows(parts: MonitoredParts): { readonly title: string; readonly panels: readonly Panel[] }[] {
  const { domain, hasRules, coredns, cache, watchdog, nodeResolver, webhook } = parts;
  const coreDnsJobs = [...(coredns ? [jobs.coredns] : []), ...(cache ? [jobs.cache] : [])];
  // The servers that pods ask.
  const asked = coreDnsJobs.at(-1);
  const rows = [
    { title: "Answers", panels: asked ? answers(asked, domain, hasRules) : [] },
    { title: "CoreDNS", panels: coredns ? coreDns(coreDnsJobs) : [] },
    {
      title: "Nodes",
      panels: [...(cache ? cachePanels() : []), ...(watchdog ? watchdogPanels() : [])],
    },
    {
      title: "Other programs",
      panels: [...(nodeResolver ? [nodeResolverPanel] : []), ...(webhook ? [webhookPanel] : [])],
    },
  ];
  return rows.filter(({ panels }) => panels.length > 0);
}

const rate = (selector: string) => `rate(${selector}[$__rate_interval])`;

function quantiles(metric: string, selector: string): Panel["queries"] {
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (${rate(`${metric}_bucket{${selector}}`)}))`,
    legend: `p${quantile * 100}`,
  }));
}

function answers(job: string, domain: string, hasRules: boolean): Panel[] {
  const all = `job="${job}"`;
  const responses = "coredns_dns_responses_total";
  return [
    {
      title: "Answers by code",
      unit: "reqps",
      queries: [{ expr: `sum by (rcode) (${rate(`${responses}{${all}}`)})`, legend: "{{rcode}}" }],
    },
    {
      title: "Answers by zone",
      unit: "reqps",
      queries: [{ expr: `sum by (zone) (${rate(`${responses}{${all}}`)})`, legend: "{{zone}}" }],
    },
    {
      title: `Time to answer names of ${domain}`,
      unit: "s",
      queries: quantiles("coredns_dns_request_duration_seconds", `${all},zone="${domain}."`),
    },
    ...(hasRules ? [ratiosPanel] : []),
  ];
}

const ratiosPanel: Panel = {
  title: "Errors and slow answers, last hour",
  unit: "percentunit",
  queries: [
    { expr: "cluster_dns:errors:ratio_rate1h", legend: "errors" },
    { expr: "cluster_dns:slow_answers:ratio_rate1h", legend: "longer than 20 ms" },
  ],
};

function coreDns(coreDnsJobs: readonly string[]): Panel[] {
  const of = `job="${jobs.coredns}"`;
  return [
    {
      title: "Queries by pod",
      unit: "reqps",
      queries: [{ expr: `sum by (pod) (${rate(`coredns_dns_requests_total{${of}}`)})`, legend: "{{pod}}" }],
    },
    {
      title: "Time of upstream servers, p99",
      unit: "s",
      queries: [
        {
          expr: `histogram_quantile(0.99, sum by (job, to, le) (${rate(`coredns_proxy_request_duration_seconds_bucket{job=~"${coreDnsJobs.join("|")}",proxy_name="forward"}`)}))`,
          legend: "{{job}} {{to}}",
        },
      ],
    },
    {
      title: "Requests to the API server by code",
      unit: "reqps",
      queries: [
        { expr: `sum by (code) (${rate(`coredns_kubernetes_rest_client_requests_total{${of}}`)})`, legend: "{{code}}" },
      ],
    },
  ];
}

function cachePanels(): Panel[] {
  const of = `job="${jobs.cache}"`;
  return [
    {
      title: "Answered from the node caches",
      unit: "percentunit",
      queries: [
        {
          expr: `sum by (zones) (${rate(`coredns_cache_hits_total{${of}}`)}) / sum by (zones) (${rate(`coredns_cache_requests_total{${of}}`)})`,
          legend: "{{zones}}",
        },
      ],
    },
  ];
}

function watchdogPanels(): Panel[] {
  const of = (metric: WatchdogMetric) => `${watchdogMetric(metric)}{job="${jobs.watchdog}"}`;
  return [
    {
      title: "Nodes that use their cache, and all",
      unit: "short",
      queries: [
        { expr: `count(min by (node) (${of("local")}) == 1) or vector(0)`, legend: "use their cache" },
        { expr: `count(count by (node) (${of("rules_applied")}))`, legend: "all" },
      ],
    },
    {
      title: "Changes between cache and cluster DNS, and repairs",
      unit: "short",
      queries: [
        {
          expr: `sum by (node) (increase(${of("flips_total")}[$__rate_interval]))`,
          legend: "{{node}} changes",
        },
        {
          expr: `sum by (node) (increase(${of("repairs_total")}[$__rate_interval]))`,
          legend: "{{node}} repairs",
        },
      ],
    },
    {
      title: "Time to answer a probe, p99",
      unit: "s",
      queries: [
        {
          expr: `histogram_quantile(0.99, sum by (node, le) (${rate(of("probe_duration_seconds_bucket"))}))`,
          legend: "{{node}}",
        },
      ],
    },
  ];
}

const nodeResolverPanel: Panel = {
  title: "Addresses of Services in hosts files",
  unit: "short",
  queries: [
    {
      expr: `min by (service, family) (node_resolver_addresses{job="${jobs.nodeResolver}"})`,
      legend: "{{service}} {{family}}",
    },
  ],
};

const webhookPanel: Panel = {
  title: "Admission requests by answer",
  unit: "reqps",
  queries: [
    {
      expr: `sum by (answer) (${rate(`cluster_dns_webhook_requests_total{job="${jobs.webhook}"}`)})`,
      legend: "{{answer}}",
    },
  ],
};
