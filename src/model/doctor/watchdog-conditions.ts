import { lossyShare, silentShare, type WatchdogMetric, watchdogMetric } from "../agent-config/watchdog-metrics";
import type { Pod } from "../kubernetes/kinds";
import { nodesOf } from "../kubernetes/pods";
import type { Sample } from "../kubernetes/samples";
import { noNameserver } from "../query-path/nameservers";
import type { LogFacts } from "../running/log-facts";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import type { Sparse } from "../syntax/sparse";
import type { FindingId } from "./findings";
import { type Suggestions, about, noted, onNode, raw } from "./suggestions";

/** What one watchdog measured, and the cache of its node. */
export interface Read {
  readonly pod: Pod;
  readonly samples: readonly Sample[];
  readonly cache: Pod | undefined;
  /** Undefined if none was read. */
  readonly logs: readonly LogFacts[] | undefined;
}

/** What a node's watchdog measures if something is wrong there. */
export interface Condition {
  readonly id: FindingId;
  readonly metric: WatchdogMetric;
  /** Undefined: anything but 0. */
  readonly below?: number;
  readonly evidence: (matching: readonly Sample[], all: readonly Sample[]) => Sparse<string>;
  readonly onlyIf?: (read: Read) => boolean;
  /** The watchdog logs the reason, which no metric has. */
  readonly isLogged?: true;
  /** Commands beyond a look at a node's pods. @param nodes In a sentence. */
  readonly mend?: (nodes: string, same: readonly [Read, ...Read[]]) => Suggestions;
}

/** What Linux or Kubernetes sets; connection tracking gets twice as much. */
const usualSettings: { readonly [setting: string]: string } = {
  "net.ipv4.ip_forward": "1",
  "net.ipv6.conf.all.forwarding": "1",
  "net.ipv4.ip_local_port_range": "32768 60999",
};

function removedRules(id: "rules-removed" | "rules-removed-now", isNow: boolean): Condition {
  return {
    id,
    metric: "repairs_total",
    evidence: (matching) =>
      `repaired since the watchdog's start: ${matching.map(({ labels, value }) => `${labels["kind"]} ${value} times`).join(", ")}`,
    onlyIf: (read) => isRepairing(read) && failsNow(read.samples) === isNow,
    mend: (nodes) =>
      `on ${nodes}, until it happens again, the process that did it: nft monitor | grep -A1 'delete table inet node-local-dns'`,
  };
}

function unfitSettings({ pod, samples }: Read) {
  return samplesOf(samples, "unfit_setting").map(({ labels: { setting = "", value } }) => ({
    pod,
    usual: `${setting}=${usualSettings[setting] ?? 2 * Number(value)}`,
  }));
}

/** docs/watchdog.md says what each metric means. */
export const conditions: readonly Condition[] = [
  {
    id: "resolver-unusable",
    metric: "unusable_nameserver",
    evidence: (matching) => [
      matching.map(({ labels: { file, nameserver = "", fault } }) =>
        fault === noNameserver ? `${file} names no server` : `${file} names ${nameserver} (${fault})`,
      ),
      "the cache goes round it; pods there with dnsPolicy: Default, and a CoreDNS, have no names outside",
    ],
    mend: (nodes) => `on ${nodes}, name servers outside the cluster in that file, or set upstreamNameservers`,
  },
  {
    id: "unfit-setting",
    metric: "unfit_setting",
    evidence: (matching) => matching.map(({ labels: { setting, value } }) => `${setting} is ${value}`),
    mend: (_, same) =>
      grouped(same.flatMap(unfitSettings), ({ usual }) => usual).map(
        ([usual, unfit]) =>
          onNode(
            `on ${some(nodesOf(unfit.map(({ pod }) => pod)))}, and in what sets it: a file in /etc/sysctl.d, a tool`,
          )`sysctl -w ${usual}`,
      ),
  },
  removedRules("rules-removed-now", true),
  {
    id: "foreign-listener",
    metric: "foreign_listener",
    evidence: (matching) => `at ${listeners(matching)}`,
    // Without link and rules, the cluster DNS itself answers there.
    onlyIf: (read) => !isRepairing(read),
    mend: (nodes) => onNode(`on ${nodes}: names it`)`ss -lnp sport = :53`,
  },
  {
    id: "blocked",
    metric: "blocked",
    evidence: () =>
      "its INPUT policy drops, and an accept elsewhere cannot overrule that: set nodeLocalDNS.packetFilter: iptables",
    isLogged: true,
  },
  {
    id: "rules-refused",
    metric: "rules_applied",
    below: 1,
    evidence: (_, all) =>
      samplesOf(all, "kernel_errors_total").map(({ labels, value }) => `${labels["work"]}: refused ${value} times`),
    // The gauge starts at 0.
    onlyIf: ({ samples }) => has(samples, "kernel_errors_total"),
    isLogged: true,
  },
  {
    id: "leftover-rules",
    metric: "leftover_rules",
    evidence: () => "node-setup could not remove them; restart the cache's pod once the cause in its log is mended",
    isLogged: true,
  },
  {
    id: "replies-lost",
    metric: "replies_lost",
    evidence: (matching) => `at ${listeners(matching)}: a firewall on the node drops untracked packets`,
  },
  {
    id: "cluster-dns-unreachable",
    metric: "cluster_dns_up",
    below: 1,
    evidence: () => "names that the cache does not have are not answered there",
    onlyIf: ({ samples }) => has(samples, "cache_up", Infinity) && !isMostlyAnswered(samples),
    mend: (nodes) => [
      onNode(`on ${nodes}: does its policy, or a rule, drop replies?`)`iptables -S INPUT`,
      onNode(
        `on ${nodes}, if it does, and in what sets it`,
      )`iptables -I INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`,
    ],
  },
  {
    id: "cluster-dns-lossy",
    metric: "cluster_dns_answered",
    below: lossyShare,
    evidence: (matching) =>
      matching.map(
        ({ labels, value }) =>
          `it answered ${Math.round(value * 100)}% of the last queries past the cache, at ${labels["server"]}: the node does not reach all of its endpoints, or did not half a minute ago`,
      ),
    onlyIf: ({ samples }) => has(samples, "cluster_dns_up") || isMostlyAnswered(samples),
  },
  {
    id: "cache-bypassed",
    metric: "local",
    below: 1,
    evidence: (matching, all) => [
      `at ${matching.length > 2 && matching.length === samplesOf(all, "local", Infinity).length ? `all ${matching.length} listeners` : listeners(matching)}: ${reasons(matching, all)}`,
      partOf(matching, all),
      isSilent(all) && "now the cache answers no probe: it hangs, or is gone",
    ],
    // Where the cache is left out, the watchdog leads to the cluster DNS; where it should be, a finding says so.
    onlyIf: ({ cache }) => cache !== undefined,
    mend: (_, same) =>
      same
        .flatMap(({ cache, samples }) => (cache && isSilent(samples) ? about(cache, "delete") : []))
        .map((each) => noted(each, "the cluster DNS answers meanwhile"))
        .slice(0, 5),
  },
  {
    // Counters say nothing of when.
    id: "cache-often-silent",
    metric: "packets_total",
    evidence: (_, all) => {
      const { past, queries } = packetsOf(all);
      return `${past} of ${queries} queries since the watchdog's start, while the cache left queries unanswered; now it answers the watchdog`;
    },
    // A hang or a start of the cache leads as many past it on a node that asks little.
    onlyIf: ({ samples }) => {
      const { past, queries } = packetsOf(samples);
      return past >= 60 && past > silentShare * queries && !isBypassed(samples);
    },
    mend: (_, [{ pod }]) => [
      noted(
        raw(`/api/v1/nodes/http:${pod.spec.nodeName ?? ""}:9254/proxy/metrics`),
        `twice, a minute apart: do packets_total of kind "past-silent" become more?`,
      ),
      "if they do, docs/runbooks/NodeLocalDNSOftenSilent.md says what to look for",
    ],
  },
  removedRules("rules-removed", false),
];

/** Of queries since the watchdog's start, how many went past a cache that was silent. */
function packetsOf(all: readonly Sample[]): { readonly past: number; readonly queries: number } {
  const of = (kind: string) =>
    samplesOf(all, "packets_total").find(({ labels }) => labels["kind"] === kind)?.value ?? 0;
  const past = of("past-silent");
  return { past, queries: past + of("requests") };
}

/** A cache of another kind that ends takes its link with it: once, and long ago. */
function isRepairing({ logs, samples }: Read): boolean {
  const repairs = samplesOf(samples, "repairs_total");
  return (
    repairs.length > 0 &&
    (logs === undefined ||
      logs.some(({ repaired }) => repairs.some(({ labels }) => repaired.includes(labels["kind"] ?? ""))))
  );
}

/** Whether queries go another way than by rules and link that stay. */
function failsNow(all: readonly Sample[]): boolean {
  return has(all, "foreign_listener") || has(all, "local", 1) || has(all, "cluster_dns_up", 1);
}

/** The samples of a metric that are below a value, or not 0. */
export function samplesOf(all: readonly Sample[], metric: WatchdogMetric, below?: number): readonly Sample[] {
  const name = watchdogMetric(metric);
  return all.filter((each) => each.name === name && (below === undefined ? each.value !== 0 : each.value < below));
}

/** Whether an address of the cluster DNS has answered so much that a single query without an answer is an accident. */
function isMostlyAnswered(all: readonly Sample[]): boolean {
  return samplesOf(all, "cluster_dns_answered", Infinity).some(({ value }) => value > lossyShare);
}

function has(...metric: Parameters<typeof samplesOf>): boolean {
  return samplesOf(...metric).length > 0;
}

/** Whether the cache does not answer, or is not asked, somewhere. */
function isBypassed(all: readonly Sample[]): boolean {
  return has(all, "cache_up", 1) || has(all, "local", 1);
}

/** Whether no listener of the cache answers. */
function isSilent(all: readonly Sample[]): boolean {
  return has(all, "cache_up", 1) && !has(all, "cache_up");
}

function listeners(samples: readonly Sample[]): string {
  return samples.map(({ labels }) => labels["listener"]).join(", ");
}

/** A firewall drops one family, or one protocol. */
function partOf(bypassed: readonly Sample[], all: readonly Sample[]): string[] {
  const used = samplesOf(all, "local");
  const kinds = { TCP: /^tcp-/, UDP: /^udp-/, IPv4: /\.\d+$/, IPv6: /-[^.]*$/ };
  const only = Object.entries(kinds).flatMap(([kind, form]) => {
    const isOf = ({ labels }: Sample) => form.test(labels["listener"] ?? "");
    return used.length > 0 && bypassed.every(isOf) && !used.some(isOf) ? kind : [];
  });
  return only.map((kind) => `at the others it answers: perhaps a rule of the node drops ${kind} to it, or its replies`);
}

function reasons(bypassed: readonly Sample[], all: readonly Sample[]): string {
  const flips = samplesOf(all, "flips_total").filter(
    ({ labels }) =>
      labels["to"] === "cluster-dns" && bypassed.some((each) => each.labels["listener"] === labels["listener"]),
  );
  const told = flips.map(({ labels, value }) => `${labels["reason"]} (${value === 1 ? "once" : `${value} times`})`);
  return told.length > 0
    ? `taken out of use since the watchdog's start: ${[...new Set(told)].join(", ")}`
    : "the cache has not answered since the watchdog started";
}
