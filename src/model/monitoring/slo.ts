import { alert, type Alert, type Recording, type RuleGroup, type Severity } from "./rule";

/** At most 0.1% errors, as ClusterLoader2's `dns` test asks, and 99% of the answers within 20 ms, its median. */
const objectives = {
  Error: {
    budget: 0.001,
    ratio: "cluster_dns:errors:ratio_rate",
    what: "answers with SERVFAIL",
    happened: "were SERVFAIL",
  },
  Latency: {
    budget: 0.01,
    ratio: "cluster_dns:slow_answers:ratio_rate",
    what: "answers that take longer than 20 ms",
    happened: "took longer than 20 ms",
  },
} as const;

/** CoreDNS's last bucket below 20 ms. */
const bucket = "0.016";

/** How fast the budget of 30 days burns, over two windows (Google, The Site Reliability Workbook, chapter 5). */
const burns: readonly { long: string; short: string; factor: number; severity: Severity; wait: string }[] = [
  { long: "1h", short: "5m", factor: 14.4, severity: "critical", wait: "2m" },
  { long: "6h", short: "30m", factor: 6, severity: "critical", wait: "15m" },
  { long: "1d", short: "2h", factor: 3, severity: "warning", wait: "1h" },
  { long: "3d", short: "6h", factor: 1, severity: "warning", wait: "3h" },
];

const windows = ["5m", "30m", "1h", "2h", "6h", "1d", "3d"] as const;

/** @param job The servers that pods ask. */
export function sloGroups(job: string, domain: string): RuleGroup[] {
  return [
    { name: "cluster-dns-slo-ratios", rules: windows.flatMap((window) => ratios(job, domain, window)) },
    { name: "cluster-dns-slo", rules: [...burnAlerts("Error"), ...burnAlerts("Latency")] },
  ];
}

function ratios(job: string, domain: string, window: string): Recording[] {
  const of = (metric: string, more = "") => `sum(rate(${metric}{job="${job}",zone="${domain}."${more}}[${window}]))`;
  const responses = "coredns_dns_responses_total";
  const duration = "coredns_dns_request_duration_seconds";
  return [
    {
      record: `${objectives.Error.ratio}${window}`,
      // Without any error there is no such series.
      expr: `(${of(responses, ',rcode="SERVFAIL"')} or vector(0)) / ${of(responses)}`,
    },
    {
      record: `${objectives.Latency.ratio}${window}`,
      expr: `1 - ${of(`${duration}_bucket`, `,le="${bucket}"`)} / ${of(`${duration}_count`)}`,
    },
  ];
}

function burnAlerts(kind: keyof typeof objectives): Alert[] {
  const { budget, ratio, what, happened } = objectives[kind];
  return burns.map(({ long, short, factor, severity, wait }) => {
    const limit = Number((factor * budget).toPrecision(3));
    const burn = alert(`ClusterDNS${kind}BudgetBurn`, severity, {
      expr: `${ratio}${long} > ${limit} and ${ratio}${short} > ${limit}`,
      wait,
      summary: `Too many ${what} for the cluster's names`,
      description: `Over ${long}, {{ $value | humanizePercentage }} of the answers for the cluster's names ${happened}: more than ${factor} times the ${budget * 100}% of the objective.`,
    });
    // Otherwise two of them would be one alert.
    return { ...burn, labels: { ...burn.labels, long, short } };
  });
}
