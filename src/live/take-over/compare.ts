import { renderCluster } from "../../charts/render-cluster";
import { valueAt } from "../../config/origin";
import type { Part } from "../../config/overlay";
import { ourCoreDns } from "../../model/check/corefile-additions";
import type { Cluster } from "../../model/cluster/cluster";
import type { WrittenBlock } from "../../model/corefile/corefile";
import { lineOf } from "../../model/corefile/line";
import { identity } from "../../model/kubernetes/object";
import { defaults } from "../../model/defaults";
import {
  cacheInTheWay,
  budgetsInTheWay,
  servicesInTheWay,
  withoutWorkload,
  workloadsInTheWay,
  foreignMarks,
  otherWriters,
  upgradesAfterwards,
} from "../../model/takeover/in-the-way";
import { type Answers, type Asked, blockLine, blockName, chained } from "../../model/takeover/answers";
import { domainOfAddresses } from "../../model/takeover/apart";
import { autoscalerProps } from "../../model/takeover/autoscaler-props";
import { otherPorts, unnumberedPort, whyNoRedirect } from "../../model/takeover/cluster-props";
import { differentAnswers, differentOperation, ofRefusedBlock, zonesLost } from "../../model/takeover/compare-answers";
import { differentPods } from "../../model/takeover/different-pods";
import { whyNoAliases, whyNotAsked } from "../../model/takeover/names-props";
import { isOurs } from "../../model/object-names";
import { whyRefused } from "../../model/takeover/refused";
import { answersThen } from "../../model/takeover/then";
import { usualAnswers } from "../../model/takeover/usual";
import { otherImage, otherVersion } from "../../model/takeover/workload-props";
import { inZone } from "../../model/syntax/names";
import { dense, type Sparse } from "../../model/syntax/sparse";
import type { WithText } from "./as-text";
import { readAs, type Survey } from "./evidence";

function askedThen(cluster: Cluster, { dns, isCluster }: Survey): Asked {
  const { authoritativeDNS = dns, nodeLocalDNS } = answersThen(cluster);
  const servers = cluster.components.nodeLocalDns?.queryPath.clusterServers ?? [];
  return chained(nodeLocalDNS, authoritativeDNS, (server) => isCluster(server) || servers.includes(server));
}

export function findAdditions(
  survey: Survey,
  cluster: Cluster | undefined,
  description: Part,
  given: Part,
): Sparse<string> {
  const { workloads, caches, isKept } = survey;
  const [workload] = workloads;
  const hasCache = valueAt(description, ["authoritativeDNS", "cache"]) !== undefined;
  const asked = valueAt(given, ["nodeLocalDNS", "askClusterDNS"]);
  return [
    caches.length === 0 &&
      cluster?.components.nodeLocalDns !== undefined &&
      `a node cache${hasCache ? ": it keeps names outside as nodeLocalDNS.cache and outsideCache say, whatever authoritativeDNS.cache says" : ""}`,
    asked !== undefined &&
      `nodeLocalDNS.askClusterDNS: the node cache asks the cluster's own DNS for ${asked === "all" ? "all names" : "these names"}, which that answers in a way of its own`,
    !isKept && workload && readAs(workload, otherVersion),
  ];
}

export function findDifferent(
  survey: Survey,
  cluster: Cluster | undefined,
  { refused, unseen }: WithText,
): Sparse<string> {
  const { services, workloads, dns, cache, asked } = survey;
  const authoritativeDns = cluster?.components.authoritativeDns;
  if (!authoritativeDns) return [];
  const ours = renderCluster(cluster).components.flatMap(({ objects }) => objects);
  const [workload] = workloads;
  const [service] = services;
  const sameKind = ours.find(({ kind, metadata }) => kind === authoritativeDns.kind && metadata.name === "coredns");
  const ofObjects: Sparse<string> = [
    workload &&
      !isOurs(workload) &&
      sameKind &&
      readAs(workload, (each) => [otherImage(each), differentPods(each, sameKind)]),
    service && readAs(service, otherPorts),
  ];
  if (survey.sources.length === 0) return ofObjects;
  const usual = usualAnswers(dns.domain ?? defaults.cluster.clusterDomain);
  const { authoritativeDNS = dns } = answersThen(cluster);
  const { source, besides, corefile, domain = cluster.said.clusterDomain } = dns;
  const ofAddresses = domainOfAddresses(corefile, domain) ?? domain;
  const blocks = [...refused].flatMap(([block, why]) => ("keys" in block ? [{ block, why }] : []));
  const ofCache = new Set(cache?.corefile.flatMap(({ plugins }) => plugins));
  const sourceOf = ({ plugins }: WrittenBlock) => (plugins.some((each) => ofCache.has(each)) ? cache?.source : source);
  // Blocks for further domains share them.
  const ofMain = new Set(Object.values(dns.plugins).flat());
  const reasons = new Map<object, string>([
    ...refused,
    ...whyNotAsked(asked),
    ...whyNoAliases(asked),
    ...blocks.flatMap(({ block }) =>
      block.plugins.filter((each) => !ofMain.has(each)).map((each) => [each, ofRefusedBlock] as const),
    ),
  ]);
  return [
    ofObjects,
    differentAnswers(asked, askedThen(cluster, survey), usual, reasons),
    ofAddresses !== domain && `${source}: names of addresses end in ${ofAddresses}; ours: in ${domain}`,
    differentOperation(dns, authoritativeDNS, usual, reasons),
    blocks.map(({ block, why }) => `${sourceOf(block)}: ${blockLine(block)}: ${why}`),
    [...unseen.keys()].map((each) => "keys" in each && `${source}: ${blockName(each)}${forSome}`),
    dense([dns, cache]).flatMap((each) => [...each.behind.map(lineBehind), ...linesLed(each)]),
    besides.map((each) => `${source}: ${blockLine(each)}: pods ask only for plain DNS, at port ${dns.port}`),
  ];
}

function lineBehind({ forward, first, where }: Answers["behind"][number]): string {
  const left = first.options.some(({ name }) => name === "next")
    ? "leaves it only some names (next)"
    : "leaves it no name";
  return `${where}: ${lineOf(forward)}: it is behind ${lineOf(first)}, which ${left}`;
}

function linesLed({ source, led }: Answers): string[] {
  const why = (zone: string) => `CoreDNS does not ask its block of ${zone} for the new name; ours does`;
  return led.map(({ rule, zone }) => `${source}: ${lineOf(rule)}: ${why(zone)}`);
}

const forSome = ", which is for some queries only: the node cache hides which pod asks";

/** What CoreDNS keeps, and a node cache that does not ask it does not give. */
export function findPast(survey: Survey, cluster: Cluster | undefined): string[] {
  const { dns, asked } = survey;
  if (!cluster?.components.nodeLocalDns || survey.sources.length === 0) return [];
  const usual = usualAnswers(dns.domain ?? defaults.cluster.clusterDomain);
  return [
    ...differentAnswers(asked, askedThen(cluster, survey), usual, whyNotAsked(asked)),
    ...dns.blocks
      .filter(({ isForSome }) => isForSome)
      .map(({ block }) => `${dns.source}: ${blockLine(block)}${forSome}`),
  ];
}

export function findTodo(survey: Survey, cluster: Cluster | undefined): Sparse<string> {
  const { objects, configMaps, services, workloads, caches, autoscalers, budgets, isKept } = survey;
  const [service] = services;
  const [workload] = workloads;
  const path = cluster?.queryPath?.state === "enabled" ? cluster.queryPath : undefined;
  const isTaken = !isKept && workload !== undefined && !isOurs(workload);
  const read = configMaps.filter((each) => survey.sources.includes(identity(each)));
  const running = [survey.dns, ...(survey.cache ? [survey.cache] : [])];
  return [
    running.flatMap(({ source, corefile }) =>
      whyRefused(corefile).map(
        (why) =>
          `${source}: ${ourCoreDns} refuses this Corefile (${why}). A CoreDNS that runs has an earlier Corefile, or is of another version: mend the Corefile, then run init again`,
      ),
    ),
    workloadsInTheWay(workloads, isKept),
    servicesInTheWay(services, isKept),
    !workload && !isKept && service && withoutWorkload(service),
    caches.map((each) => readAs(each.object, () => cacheInTheWay(each, path?.linkLocalAddresses))),
    path?.interception === "local-redirect" && whyNoRedirect(objects),
    isKept
      ? unnumberedPort(services, workloads)
      : [autoscalerProps(autoscalers, configMaps).todo, budgetsInTheWay(budgets)],
    isKept && caches.length > 0 && passedBy(survey, cluster),
    isTaken && [foreignMarks(workload), upgradesAfterwards(objects)],
    !isKept && read.map(otherWriters),
  ];
}

/** What pods do not get from the cluster's own DNS, today and then: the cache that is there asks others. */
function passedBy(survey: Survey, cluster: Cluster | undefined): string | undefined {
  const { askClusterDNS } = askedInstead(survey.dns, survey, cluster);
  if (askClusterDNS === undefined) return undefined;
  const zones = askClusterDNS === "all" ? undefined : askClusterDNS.join(", ");
  return `${survey.dns.source}: pods do not get its answers for ${zones ?? "names outside"}, today and with this file: the node cache asks others. If they should, set nodeLocalDNS.askClusterDNS: ${zones === undefined ? "all" : `[${zones}]`}`;
}

/** What a new node cache asks the cluster's own DNS for, because nobody else would answer the same. */
export function askedThere(survey: Survey, cluster: Cluster | undefined): { given: Part; zones: readonly string[] } {
  if (survey.caches.length > 0) return { given: {}, zones: [] };
  const { askClusterDNS, zones } = askedInstead(survey.asked, survey, cluster);
  return { given: askClusterDNS === undefined ? {} : { nodeLocalDNS: { askClusterDNS } }, zones };
}

/** @param theirs What would answer otherwise than the node cache that the file describes. */
function askedInstead(theirs: Asked, survey: Survey, cluster: Cluster | undefined) {
  if (!cluster?.components.nodeLocalDns || survey.sources.length === 0) return { zones: [] };
  const domain = survey.dns.domain ?? cluster.said.clusterDomain;
  const zones = zonesLost(theirs, askedThen(cluster, survey), usualAnswers(domain), domain);
  if (zones.length === 0) return { zones };
  const widest = zones.filter((zone) => !zones.some((each) => each !== zone && inZone(zone, each)));
  return { zones, askClusterDNS: zones.includes(".") ? ("all" as const) : widest };
}
