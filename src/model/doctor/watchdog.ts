import type { Pod } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { isCurrent, nodesOf } from "../kubernetes/pods";
import { type Sample, withValue } from "../kubernetes/samples";
import { selects } from "../kubernetes/selectors";
import { names, namespace } from "../object-names";
import { type Finding, grouped, type Severity, some } from "./finding";
import { logLines } from "./log-lines";
import { type Described, type Observed, systemPods } from "./observed";
import { towardClusterDns } from "./toward-cluster-dns";

/** Link, rules, switch and listeners of each node, from what its watchdog measures. */
export function watchdogs(observed: Observed, described?: Described): Finding[] {
  const own = systemPods(observed).filter(
    (pod) => isCurrent(pod) && selects({ "k8s-app": names.watchdog }, pod.metadata),
  );
  const isLoopback = described?.cluster.components.watchdog?.config.metrics.address === "127.0.0.1";
  if (isLoopback)
    return [
      {
        severity: "info",
        title: "rules and switches of the nodes cannot be read",
        where: `DaemonSet ${namespace}/${names.watchdog}`,
        evidence: ["the cluster file says metricsAddress: loopback, so that only programs on the node can read them"],
        next: ["curl -s http://127.0.0.1:9254/metrics  # on a node"],
      },
    ];
  const read = [...own]
    .sort((a, b) => (a.spec.nodeName ?? "").localeCompare(b.spec.nodeName ?? "", "en"))
    .flatMap((pod) => {
      const samples = observed.metrics.get(pod.metadata.name);
      return samples ? [{ pod, samples, cache: cacheBeside(pod, observed) }] : [];
    });
  return conditions.flatMap((condition) => ofNodes(condition, read, observed, described));
}

/** What one watchdog measured, and the cache of its node. */
interface Read {
  readonly pod: Pod;
  readonly samples: readonly Sample[];
  readonly cache: Pod | undefined;
}

function cacheBeside({ spec }: Pod, observed: Observed): Pod | undefined {
  return systemPods(observed).find(
    (pod) =>
      isCurrent(pod) && pod.spec.nodeName === spec.nodeName && selects({ "k8s-app": names.nodeLocalDns }, pod.metadata),
  );
}

/** All nodes that meet a condition are one finding, whose commands are for the first of them. */
function ofNodes(condition: ConditionOf, read: readonly Read[], observed: Observed, described?: Described): Finding[] {
  const { metric, severity, title, mend } = condition;
  const same = read.flatMap((each) => {
    const evidence = evidenceOf(condition, each, observed);
    return evidence ? [{ ...each, evidence }] : [];
  });
  const [first] = same;
  if (!first) return [];
  const nodes = nodesOf(same.map(({ pod }) => pod));
  const { metadata, spec } = first.pod;
  const node = spec.nodeName ?? "";
  const way = metric === "cluster_dns_up" ? towardClusterDns([node], observed, described) : { evidence: [], next: [] };
  return [
    {
      severity,
      title,
      nodes,
      where: `${nodes.length === 1 ? "node" : `${nodes.length} nodes:`} ${some(nodes)}`,
      evidence: [...together(same), ...way.evidence],
      next: [
        `kubectl logs ${metadata.name} -n ${namespace} --tail=50`,
        `kubectl get pods -n ${namespace} -o wide --field-selector spec.nodeName=${node}`,
        ...way.next,
        ...(mend?.({ node, cache: first.cache, all: first.samples }) ?? []),
      ],
    },
  ];
}

/** Undefined if the node does not meet the condition. */
function evidenceOf(
  { metric, value, evidence, onlyIf }: ConditionOf,
  { pod, samples, cache }: Read,
  observed: Observed,
): string[] | undefined {
  // Where the cache is left out, the watchdog leads to the cluster DNS; where it should be, a finding says so.
  if (metric === "local" && !cache) return undefined;
  const matching = withValue(samples, `node_local_dns_watchdog_${metric}`, value);
  if (matching.length === 0 || (onlyIf && !onlyIf(samples))) return undefined;
  return [...evidence(matching, samples), ...(explainedByLog.has(metric) ? complaints(pod, observed) : [])];
}

/** Each text once, with its nodes where not all have it. */
function together(same: readonly { readonly pod: Pod; readonly evidence: readonly string[] }[]): string[] {
  const said = same.flatMap(({ pod, evidence }) => evidence.map((text) => ({ text, pod })));
  const texts = grouped(said, ({ text }) => text).map(([text, saying]) =>
    saying.length === same.length ? text : `${text} (${some(nodesOf(saying.map(({ pod }) => pod)))})`,
  );
  // All of the first node, and a few of the others.
  const shown = (same[0]?.evidence.length ?? 0) + 3;
  return texts.length > shown ? [...texts.slice(0, shown), `and ${texts.length - shown} more like these`] : texts;
}

/** Of these the watchdog logs the reason, which no metric has. */
const explainedByLog: ReadonlySet<string> = new Set(["blocked", "rules_applied", "leftover_rules"]);

interface ConditionOf {
  readonly metric: string;
  /** Undefined: anything but 0. */
  readonly value?: number;
  readonly severity: Severity;
  readonly title: string;
  readonly evidence: (matching: readonly Sample[], all: readonly Sample[]) => string[];
  readonly onlyIf?: (all: readonly Sample[]) => boolean;
  /** Commands beyond a look at the node's pods. @param of Its cache's pod, and all samples of the node. */
  readonly mend?: (of: { node: string; cache: Pod | undefined; all: readonly Sample[] }) => string[];
}

/** The cause before its consequence; docs/watchdog.md says what each metric means. */
const conditions: readonly ConditionOf[] = [
  {
    metric: "foreign_listener",
    value: 1,
    severity: "error",
    title: "another program answers at the cache's address",
    evidence: (matching) => [`at ${listeners(matching)}; \`ss -lnp sport = :53\` on the node names it`],
  },
  {
    metric: "blocked",
    value: 1,
    severity: "error",
    title: "the node's own packet rules would drop queries to the cache",
    evidence: () => [
      "its INPUT policy drops, and an accept elsewhere cannot overrule that: set nodeLocalDNS.packetFilter: iptables",
    ],
  },
  {
    metric: "rules_applied",
    value: 0,
    severity: "error",
    title: "link or rules cannot be written",
    evidence: (_, all) =>
      withValue(all, "node_local_dns_watchdog_kernel_errors_total").map(
        ({ labels, value }) => `${labels["work"]}: refused ${value} times`,
      ),
    // The gauge starts at 0.
    onlyIf: (all) => withValue(all, "node_local_dns_watchdog_kernel_errors_total").length > 0,
  },
  {
    metric: "leftover_rules",
    value: 1,
    severity: "warning",
    title: "rules of another node-local-dns may defeat failover",
    evidence: () => ["node-setup could not remove them; restart the cache's pod once the cause in its log is mended"],
  },
  {
    metric: "replies_lost",
    value: 1,
    severity: "error",
    title: "replies of the cache do not reach pods",
    evidence: (matching) => [`at ${listeners(matching)}: a firewall on the node drops untracked packets`],
  },
  {
    metric: "cluster_dns_up",
    value: 0,
    severity: "error",
    title: "the node cannot reach the cluster DNS",
    evidence: () => ["names that the cache does not have are not answered there"],
    onlyIf: (all) => all.some(({ name }) => name === "node_local_dns_watchdog_cache_up"),
  },
  {
    metric: "local",
    value: 0,
    severity: "warning",
    title: "queries go past the node's cache",
    evidence: (matching, all) => [
      `at ${matching.length > 2 && matching.length === ofMetric(all, "local").length ? `all ${matching.length} listeners` : listeners(matching)}: ${reasons(all)}`,
      ...(isSilent(all) ? ["now the cache answers no probe: it hangs, or is gone"] : []),
    ],
    mend: ({ cache, all }) =>
      cache && isSilent(all)
        ? [`kubectl delete pod ${cache.metadata.name} -n ${namespace}  # the cluster DNS answers meanwhile`]
        : [],
  },
  {
    metric: "repairs_total",
    severity: "warning",
    title: "something on the node removes our link or rules",
    evidence: (matching) => [
      `repaired since the watchdog's start: ${matching.map(({ labels, value }) => `${labels["kind"]} ${value} times`).join(", ")}`,
    ],
    mend: ({ node }) => [
      `nft monitor | grep -A1 'delete table inet node-local-dns'  # on ${node}, until it happens again: the process that did it`,
    ],
  },
];

function ofMetric(all: readonly Sample[], metric: string): readonly Sample[] {
  return all.filter(({ name }) => name === `node_local_dns_watchdog_${metric}`);
}

/** Whether no listener of the cache answers. */
function isSilent(all: readonly Sample[]): boolean {
  const up = ofMetric(all, "cache_up");
  return up.length > 0 && up.every(({ value }) => value === 0);
}

function listeners(samples: readonly Sample[]): string {
  return samples.map(({ labels }) => labels["listener"]).join(", ");
}

function reasons(all: readonly Sample[]): string {
  const flips = withValue(all, "node_local_dns_watchdog_flips_total").filter(
    ({ labels }) => labels["to"] === "cluster-dns",
  );
  const told = flips.map(({ labels, value }) => `${labels["reason"]} (${value === 1 ? "once" : `${value} times`})`);
  return told.length > 0
    ? `taken out of use since the watchdog's start: ${[...new Set(told)].join(", ")}`
    : "the cache has not answered since the watchdog started";
}

/** What the watchdog last complained about. */
function complaints(pod: Pod, { logs }: Observed): string[] {
  const lines = [...(logs.get(pod.metadata.name)?.values() ?? [])].flatMap(logLines);
  const told = lines.flatMap(({ text }) => {
    try {
      const { level, msg } = JSON.parse(text) as { level?: number | string; msg?: string };
      return msg !== undefined && (level === "warn" || level === "error" || Number(level) >= 40) ? [msg] : [];
    } catch {
      return [];
    }
  });
  const last = told.at(-1);
  return last === undefined ? [] : [`the last complaint in the log of ${namespacedName(pod)}: ${last}`];
}
