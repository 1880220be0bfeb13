import { type WatchdogMetric, watchdogMetric } from "../agent-config/watchdog-metrics";
import { jobs } from "./jobs";
import type { MonitoredParts } from "./parts";

// Plain values, not Grafana's foundation SDK: that is still at 0.0.x, has an API for every panel that exists, and would
// be a dependency of everybody who synthesizes, for the two kinds of panels below.

export interface Panel {
  readonly title: string;
  readonly unit: "reqps" | "percentunit" | "s" | "short";
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

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

type Query = readonly [expr: string, legend: string];

function panel(title: string, unit: Panel["unit"], ...queries: readonly Query[]): Panel {
  return { title, unit, queries: queries.map(([expr, legend]) => ({ expr, legend })) };
}

const rate = (selector: string) => `rate(${selector}[$__rate_interval])`;

/** One line for each value of a label. */
const rateBy = (label: string, selector: string): Query => [`sum by (${label}) (${rate(selector)})`, `{{${label}}}`];

const quantileBy = (quantile: number, by: string, buckets: string) =>
  `histogram_quantile(${quantile}, sum by (${by}) (${rate(buckets)}))`;

function answers(job: string, domain: string, hasRules: boolean): Panel[] {
  const all = `job="${job}"`;
  const responses = `coredns_dns_responses_total{${all}}`;
  const buckets = `coredns_dns_request_duration_seconds_bucket{${all},zone="${domain}."}`;
  const quantiles = [0.5, 0.99].map((each): Query => [quantileBy(each, "le", buckets), `p${each * 100}`]);
  return [
    panel("Answers by code", "reqps", rateBy("rcode", responses)),
    panel("Answers by zone", "reqps", rateBy("zone", responses)),
    panel(`Time to answer names of ${domain}`, "s", ...quantiles),
    ...(hasRules ? [ratiosPanel] : []),
  ];
}

const ratiosPanel = panel(
  "Errors and slow answers, last hour",
  "percentunit",
  ["cluster_dns:errors:ratio_rate1h", "errors"],
  ["cluster_dns:slow_answers:ratio_rate1h", "longer than 20 ms"],
);

function coreDns(coreDnsJobs: readonly string[]): Panel[] {
  const of = `job="${jobs.coredns}"`;
  const buckets = `coredns_proxy_request_duration_seconds_bucket{job=~"${coreDnsJobs.join("|")}",proxy_name="forward"}`;
  return [
    panel("Queries by pod", "reqps", rateBy("pod", `coredns_dns_requests_total{${of}}`)),
    panel("Time of upstream servers, p99", "s", [quantileBy(0.99, "job, to, le", buckets), "{{job}} {{to}}"]),
    panel(
      "Requests to the API server by code",
      "reqps",
      rateBy("code", `coredns_kubernetes_rest_client_requests_total{${of}}`),
    ),
  ];
}

function cachePanels(): Panel[] {
  const [hits, legend] = rateBy("zones", `coredns_cache_hits_total{job="${jobs.cache}"}`);
  const [requests] = rateBy("zones", `coredns_cache_requests_total{job="${jobs.cache}"}`);
  return [panel("Answered from the node caches", "percentunit", [`${hits} / ${requests}`, legend])];
}

function watchdogPanels(): Panel[] {
  const of = (metric: WatchdogMetric) => `${watchdogMetric(metric)}{job="${jobs.watchdog}"}`;
  const increase = (metric: WatchdogMetric) => `sum by (node) (increase(${of(metric)}[$__rate_interval]))`;
  return [
    panel(
      "Nodes that use their cache, and all",
      "short",
      [`count(min by (node) (${of("local")}) == 1) or vector(0)`, "use their cache"],
      [`count(count by (node) (${of("rules_applied")}))`, "all"],
    ),
    panel(
      "Changes between cache and cluster DNS, and repairs",
      "short",
      [increase("flips_total"), "{{node}} changes"],
      [increase("repairs_total"), "{{node}} repairs"],
    ),
    panel("Time to answer a probe, p99", "s", [
      quantileBy(0.99, "node, le", of("probe_duration_seconds_bucket")),
      "{{node}}",
    ]),
  ];
}

const nodeResolverPanel = panel("Addresses of Services in hosts files", "short", [
  `min by (service, family) (node_resolver_addresses{job="${jobs.nodeResolver}"})`,
  "{{service}} {{family}}",
]);

const webhookPanel = panel(
  "Admission requests by answer",
  "reqps",
  rateBy("answer", `cluster_dns_webhook_requests_total{job="${jobs.webhook}"}`),
);
