import { familyOf } from "../syntax/addresses";
import { jobs } from "./jobs";
import { alert, type Alert } from "./rule";

/** Alerts on the cluster DNS itself. @param replicas How many pods it has at least; undefined if nobody knows. */
export function clusterDnsAlerts(replicas: number | undefined): Alert[] {
  const job = jobs.coredns;
  // A pod may be several targets, one for each family.
  const tooFew = replicas === undefined ? "" : ` or count(count by (pod) (up{job="${job}",pod!=""})) < ${replicas}`;
  return [
    alert("CoreDNSDown", "critical", {
      expr: `absent(up{job="${job}"} == 1)`,
      summary: "No pod of the cluster DNS answers Prometheus",
      description: "No pod of CoreDNS has been scraped for 5 minutes. Node caches answer only what they still have.",
    }),
    alert("CoreDNSReplicaDown", "warning", {
      expr: `up{job="${job}"} == 0${tooFew}`,
      summary: "A pod of the cluster DNS does not answer Prometheus, or is missing",
      description:
        "{{ with $labels.pod }}{{ . }} has been out of Prometheus' reach{{ else }}CoreDNS has had too few pods ({{ $value }}){{ end }} for 5 minutes. If Service kube-dns has endpoints that do not answer, some queries are lost.",
    }),
    // Lists that fail, not watches that end (410): a CoreDNS that lost its permissions serves ever older names.
    alert("CoreDNSKubernetesAPIErrors", "critical", {
      expr: `sum by (pod, code) (increase(coredns_kubernetes_rest_client_requests_total{job="${job}",code=~"401|403|5..|<error>"}[5m])) > 2`,
      summary: "CoreDNS cannot read from the API server",
      description:
        "{{ $labels.pod }} got {{ if eq $labels.code `<error>` }}no connection to{{ else }}{{ $labels.code }} from{{ end }} the API server {{ $value | printf `%.0f` }} times in 5 minutes: names of new Services and pods are missing, or all of them after a restart.",
    }),
  ];
}

/** Named as in coredns-mixin. @param clusterServers Where the cache asks the cluster DNS. */
export function coreDnsAlerts(coreDnsJobs: readonly string[], clusterServers: readonly string[]): Alert[] {
  const job = `job=~"${coreDnsJobs.join("|")}"`;
  return [
    // A forwarded query that takes longer was lost once: CoreDNS waits two seconds for an upstream.
    alert("CoreDNSLatencyHigh", "warning", {
      expr: `${p99(job, "coredns_dns_request_duration_seconds", "job, zone")} > 1`,
      wait: "10m",
      summary: "Names of a zone are answered slowly",
      description:
        "One percent of the answers of {{ $labels.job }} for zone {{ $labels.zone }} take longer than {{ $value | humanizeDuration }}.",
    }),
    alert("CoreDNSErrorsHigh", "warning", {
      expr: `${share(job, "coredns_dns_responses_total", "job, zone")} > 0.01`,
      wait: "10m",
      summary: "Names of a zone are answered with SERVFAIL",
      description:
        "{{ $value | humanizePercentage }} of the answers of {{ $labels.job }} for zone {{ $labels.zone }} are SERVFAIL.",
    }),
    ...forwardAlerts(job, clusterServers),
    alert("CoreDNSPanics", "warning", {
      expr: `sum by (job, pod) (increase(coredns_panics_total{${job}}[10m])) > 0`,
      wait: "0m",
      summary: "CoreDNS panicked over a query",
      description: "{{ $labels.pod }} panicked {{ $value | printf `%.0f` }} times in 10 minutes. Each costs its query.",
    }),
  ];
}

/** Servers fail, or answer nothing or NXDOMAIN to everything: a deleted name is a small share of a zone's queries. */
export function staleAlert(coreDnsJobs: readonly string[]): Alert {
  const job = `job=~"${coreDnsJobs.join("|")}"`;
  const rate = (metric: string) => `sum by (job, zones) (rate(${metric}{${job}}[5m]))`;
  return alert("CoreDNSAnswersStale", "critical", {
    expr: `${rate("coredns_cache_served_stale_total")} / ${rate("coredns_cache_requests_total")} > 0.05`,
    summary: "CoreDNS gives expired answers, because servers give it no others",
    description:
      "{{ $value | humanizePercentage }} of the answers of {{ $labels.job }} for {{ $labels.zones }} have expired. Names that nobody asked for before do not resolve, and the others will not for long.",
  });
}

/** Alerts on the servers that queries are forwarded to. */
function forwardAlerts(job: string, clusterServers: readonly string[]): Alert[] {
  const proxy = "coredns_proxy_request_duration_seconds";
  const forward = `,proxy_name="forward"`;
  const quoted = clusterServers.map((server) => `"${familyOf(server) === "IPv6" ? `[${server}]` : server}:53"`);
  const isClusterDns = quoted.length > 0 ? `{{ if eq $labels.to ${quoted.join(" ")} }} (the cluster DNS){{ end }}` : "";
  return [
    alert("CoreDNSForwardLatencyHigh", "warning", {
      expr: `${p99(job, proxy, "job, to", forward)} > 1`,
      wait: "10m",
      summary: "An upstream DNS server is slow",
      description:
        "One percent of the answers of {{ $labels.to }} to {{ $labels.job }} take longer than {{ $value | humanizeDuration }}.",
    }),
    alert("CoreDNSForwardErrorsHigh", "warning", {
      expr: `${share(job, `${proxy}_count`, "job, to", forward, "SERVFAIL|REFUSED")} > 0.01`,
      wait: "10m",
      summary: "An upstream DNS server answers SERVFAIL or REFUSED",
      description:
        "{{ $value | humanizePercentage }} of the answers of {{ $labels.to }} to {{ $labels.job }} are SERVFAIL or REFUSED.",
    }),
    alert("CoreDNSForwardHealthcheckFailureCount", "warning", {
      expr: `sum by (job, to) (rate(coredns_proxy_healthcheck_failures_total{${job}${forward}}[5m])) > 0`,
      wait: "10m",
      summary: "A DNS server that queries are forwarded to fails health checks",
      description: `{{ $labels.to }}${isClusterDns} does not answer the health checks of {{ $labels.job }}.`,
    }),
    alert("CoreDNSForwardHealthcheckBrokenCount", "critical", {
      expr: `sum by (job) (rate(coredns_forward_healthcheck_broken_total{${job}}[5m])) > 0`,
      wait: "10m",
      summary: "All upstream DNS servers of a zone fail health checks",
      description: "{{ $labels.job }} has no healthy upstream left, and asks one at random.",
    }),
    alert("CoreDNSForwardOverloaded", "critical", {
      expr: `sum by (job) (rate(coredns_forward_max_concurrent_rejects_total{${job}}[5m])) > 1`,
      summary: "CoreDNS refuses names outside, as too many queries wait for an upstream",
      description:
        "{{ $labels.job }} answers {{ $value | printf `%.0f` }} queries a second with REFUSED: their upstreams are silent, or lead back to it.",
    }),
  ];
}

function p99(job: string, metric: string, by: string, more = ""): string {
  return `histogram_quantile(0.99, sum by (${by}, le) (rate(${metric}_bucket{${job}${more}}[5m])))`;
}

/** Of answers that have one of the response codes. */
function share(job: string, metric: string, by: string, more = "", codes = "SERVFAIL"): string {
  return `sum by (${by}) (rate(${metric}{${job}${more},rcode=~"${codes}"}[5m])) / sum by (${by}) (rate(${metric}{${job}${more}}[5m]))`;
}
