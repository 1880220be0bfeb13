import { parse } from "yaml";
import { renderCluster } from "../charts/render-cluster";
import { besideDefaults, inherited, type Part } from "../config/beside-defaults";
import { valueAt } from "../config/origin";
import { overlay } from "../config/overlay";
import { resolve } from "../model/check/resolve";
import type { Cluster } from "../model/cluster/cluster";
import { authoritativeCorefile } from "../model/corefile/authoritative";
import type { Corefile } from "../model/corefile/corefile";
import { nodeLocalDnsCorefile } from "../model/corefile/node-local-dns";
import { parseCorefile } from "../model/corefile/parse";
import { renderCorefile } from "../model/corefile/render";
import { differences } from "../model/kubernetes/differences";
import { identity, type KubernetesObject } from "../model/kubernetes/object";
import { type ClusterState, objectsIn } from "../model/running/cluster-state";
import { type Dns, findDns } from "../model/running/find-dns";
import { ownerOf } from "../model/running/owner";
import type { ServeStale } from "../model/props/cache";
import { upstreamServiceVariable } from "../model/query-path/query-path";
import { isMapping } from "../model/syntax/mapping";
import { parseServer } from "../model/syntax/addresses";
import { defaults } from "../model/defaults";
import { upgradesAfterwards } from "../model/takeover/afterwards";
import { answersOf, type Answers, chained } from "../model/takeover/answers";
import { autoscalerProps } from "../model/takeover/autoscaler-props";
import { ciliumProps, otherPorts, serviceProps, versionProps, whyNoRedirect } from "../model/takeover/cluster-props";
import { differentAnswers, differentOperation, zonesLost } from "../model/takeover/compare-answers";
import { corefileIn, corefileOf, corefileOfKubeDNS, type FoundCorefile } from "../model/takeover/corefiles";
import { differentPods } from "../model/takeover/different-pods";
import { whyNoUpstream } from "../model/takeover/upstream-service";
import { type Finding, found, nested, unlessDefault } from "../model/takeover/finding";
import {
  cacheInTheWay,
  isReplaced,
  type NodeCache,
  nodeCacheOf,
  budgetsInTheWay,
  scalersInTheWay,
  servicesInTheWay,
  withoutWorkload,
  workloadsInTheWay,
} from "../model/takeover/in-the-way";
import { cacheProps, capacityProps, namesProps } from "../model/takeover/names-props";
import { ownProps } from "../model/takeover/ours";
import { isOurs } from "../model/object-names";
import { usualAnswers } from "../model/takeover/usual";
import { otherImage, otherVersion, workloadProps } from "../model/takeover/workload-props";
import { foreignMarks, otherWriters } from "../model/takeover/writers";

/** What taking a cluster's DNS over means. */
export interface Takeover {
  /** What a cluster file says beside the defaults file, if there is one; not checked. */
  readonly description: Part;
  /** Why a key has its value, or why the objects do not show one. */
  readonly reasons: { readonly [key: string]: string };
  readonly notes: readonly Note[];
  /** Objects that were rendered from a cluster file of ours. */
  readonly ours: readonly KubernetesObject[];
}

export interface Note {
  /**
   * `inherited`: what the defaults file gives the cluster that it does not have. `new`: what it has only with the file.
   * `different`: what it has now, and does not have with the file. `past`: the same for names that a node cache does not
   * ask the cluster's own DNS for. `todo`: what else is to be done.
   */
  readonly topic: "inherited" | "new" | "different" | "past" | "todo";
  readonly what: string;
}

/** What to fetch: everything in kube-system that is relevant to DNS. */
export const kubectlArguments = [
  "-n",
  "kube-system",
  "get",
  "nodes,services,configmaps,deployments,daemonsets,poddisruptionbudgets,horizontalpodautoscalers",
  "-o",
  "json",
];

/**
 * Turns what a cluster's objects show into a description, renders it, and compares.
 * @param shared What the defaults file says, where the cluster file will be.
 * @throws Error if there is no object, or that names one that cannot be read.
 */
export function takeOver(state: ClusterState, shared: Part = {}): Takeover {
  const evidence = evidenceOf(state);
  if (evidence.objects.length === 0) throw new Error("has no object of a cluster");
  const kept = keptIn(evidence, shared);
  const today = answersToday(evidence, kept.isKept);
  const findings = findingsOf(evidence, kept, today, shared);
  const { known, own } = findings;
  const alone = besideDefaults(known, withoutUsualResources(own, shared), shared);
  const cache = nodeCacheProps(evidence, today, overlay(shared, alone) as Part);
  // A fleet chooses what its node caches keep.
  const passing = { ...alone, ...besideDefaults(overlay(cache, shared) as Part, cache, shared) };
  const asked = kept.isKept ? askedThere(evidence, today, renderable(overlay(shared, passing) as Part)) : {};
  const description = overlay(passing, asked) as Part;
  const rendered = renderable(overlay(shared, description) as Part);
  const topic = (name: Note["topic"], all: readonly string[]) =>
    [...new Set(all)].map((what): Note => ({ topic: name, what }));
  return {
    description,
    reasons: { ...kept.reasons, ...findings.reasons },
    notes: [
      ...topic("inherited", inherited(known, shared)),
      ...topic("new", additions(evidence, kept, rendered, valueAt(asked, ["nodeLocalDNS", "askClusterDNS"]))),
      ...topic("different", [...today.unread, ...(kept.isKept ? [] : different(evidence, today, rendered))]),
      ...topic("past", kept.isKept ? past(today, rendered) : []),
      ...topic("todo", todo(evidence, kept, today, rendered)),
    ],
    ours: evidence.ours,
  };
}

/** What the cluster has for DNS, and what else says something about it. */
interface Evidence extends Pick<Dns, "services" | "workloads" | "autoscalers" | "budgets" | "operators" | "proxy"> {
  readonly objects: readonly KubernetesObject[];
  readonly configMaps: readonly KubernetesObject[];
  readonly caches: readonly NodeCache[];
  readonly ours: readonly KubernetesObject[];
  /** kubeadm's `ClusterConfiguration.networking`. */
  readonly networking: { readonly serviceSubnet?: string; readonly dnsDomain?: string };
}

function evidenceOf(state: ClusterState): Evidence {
  const objects = objectsIn(state);
  const { configMaps = [] } = state;
  const dns = findDns(state);
  const clusterDNS = dns.services.flatMap(({ spec }) => spec.clusterIPs ?? []);
  const kubeadm = configMaps.find(({ metadata: { name } }) => name === "kubeadm-config");
  const configuration: unknown = parse(kubeadm?.data?.["ClusterConfiguration"] ?? "");
  const networking = isMapping(configuration) ? configuration["networking"] : undefined;
  return {
    ...dns,
    objects,
    configMaps,
    caches: dns.caches.map((each) => nodeCacheOf(each, clusterDNS)),
    ours: objects.filter(isOurs),
    networking: isMapping(networking) ? networking : {},
  };
}

/** What stays as it is. */
interface Kept {
  /** Whether the cluster's own DNS is left to its owner. */
  readonly isKept: boolean;
  /** Whether there is no node cache. */
  readonly isUncached: boolean;
  readonly reasons: { readonly [key: string]: string };
}

function keptIn({ objects, services, workloads, operators, caches }: Evidence, shared: Part): Kept {
  const [workload] = workloads;
  const ourCache = caches.find(({ object }) => isOurs(object))?.object;
  const [owned] = [
    ...[...workloads.slice(0, 1), ...services.slice(0, 1), ...operators].flatMap((object) => readAs(object, whyKept)),
    ...(ourCache && workload && !isOurs(workload)
      ? [`${identity(ourCache)} is ours, and ${identity(workload)} beside it is not`]
      : []),
  ];
  const isShared = valueAt(shared, ["authoritativeDNS", "kind"]) === "Existing" && !(workload && isOurs(workload));
  const isKept = owned !== undefined || isShared;
  const hasCilium = ciliumProps(objects).length > 0;
  const isWithoutAgent = hasCilium || (shared["agentImage"] ?? "none") === "none";
  const [cacheless] =
    isKept && !ourCache && isWithoutAgent
      ? services.slice(0, 1).flatMap((each) => readAs(each, (one) => whyNoUpstream(one, workloads, hasCilium) ?? []))
      : [];
  return {
    isKept,
    isUncached: cacheless !== undefined || (workload !== undefined && isOurs(workload) && !ourCache),
    reasons: {
      ...(owned !== undefined && { authoritativeDNS: owned }),
      ...(cacheless !== undefined && { nodeLocalDNS: cacheless }),
    },
  };
}

/** Why to leave the cluster's DNS alone, if somebody restores it. */
function whyKept(object: KubernetesObject): string[] {
  const owner = isOurs(object) ? undefined : ownerOf(object);
  return owner ? [`${identity(object)} belongs to ${owner.name}, which would undo changes (${owner.mark})`] : [];
}

/** What pods get. */
interface Today {
  readonly dns: Answers;
  readonly cache: Answers | undefined;
  readonly asked: Pick<Answers, "facts" | "zones">;
  readonly isCluster: (server: string) => boolean;
  readonly unread: readonly string[];
  /** ConfigMaps that hold what is read. */
  readonly sources: readonly string[];
}

function answersToday(evidence: Evidence, isKept: boolean): Today {
  const { configMaps, workloads, services, caches, networking } = evidence;
  const kubeDNS = configMaps.find(({ metadata: { name } }) => name === "kube-dns");
  const usual = configMaps.filter(({ metadata: { name } }) =>
    /^(rke2-)?coredns(-rke2-coredns)?$|^dns-default$/.test(name),
  );
  const [workload] = workloads;
  const dns = ((): FoundCorefile => {
    const ofPods = workload && readAs(workload, (each) => corefileOf(each, configMaps, !isKept));
    if (ofPods?.corefile || (ofPods && ofPods.unread.length > 0)) return ofPods;
    if (!workload && usual[0]) return corefileIn(usual[0]);
    return kubeDNS ? corefileOfKubeDNS(kubeDNS) : { unread: [] };
  })();
  const clusterIPs = services.flatMap(({ spec }) => spec.clusterIPs ?? []);
  const [clusterServer = "10.96.0.10"] = clusterIPs;
  const ofCaches = caches
    .filter(({ object }) => !isOurs(object))
    .map(({ object }) =>
      readAs(object, (each) =>
        corefileOf(each, configMaps, true, {
          clusterServer,
          configMap: mounts(each, "kube-dns") ? kubeDNS : undefined,
        }),
      ),
    );
  const cache = ofCaches.find(({ corefile }) => corefile !== undefined);
  const answers = ({ source = "", corefile = [] }: FoundCorefile) => answersOf(source, corefile, networking.dnsDomain);
  const isCluster = (server: string) =>
    server.includes(upstreamServiceVariable) || clusterIPs.includes(parseServer(server)?.address ?? server);
  const all = { dns: answers(dns), cache: cache && answers(cache) };
  return {
    ...all,
    isCluster,
    asked: chained(all.cache, all.dns, isCluster),
    unread: [...dns.unread, ...ofCaches.flatMap(({ unread }) => unread)],
    sources: [dns.source, cache?.source].filter((each) => each !== undefined),
  };
}

function mounts(workload: KubernetesObject, configMap: string): boolean {
  return JSON.stringify(workload.spec ?? {}).includes(`"name":"${configMap}"`);
}

/** What the objects show, and why they do not show the rest. */
function findingsOf(evidence: Evidence, kept: Kept, today: Today, shared: Part) {
  const { objects, services, workloads, caches, networking, proxy } = evidence;
  const isCacheOfFleet = valueAt(shared, ["nodeLocalDNS", "state"]) !== "disabled";
  const ourCache = caches.some(({ object }) => isOurs(object));
  const scaled = autoscalerProps(evidence.autoscalers, evidence.configMaps).findings;
  const outside = today.dns.facts(".");
  const all: Finding[] = [
    ...(kept.isKept
      ? found("authoritativeDNS", { kind: "Existing" })
      : workloads.slice(0, 1).flatMap((each) => readAs(each, workloadProps))),
    ...scaled,
    ...services.slice(0, 1).flatMap((each) => readAs(each, serviceProps)),
    ...versionProps(objects.filter(({ kind }) => kind === "Node")),
    ...found("kubeProxyMode", proxy.mode),
    ...ciliumProps(objects),
    ...(typeof networking.serviceSubnet === "string" ? found("serviceCIDRs", networking.serviceSubnet.split(",")) : []),
    ...(today.sources.length > 0 ? namesProps(today.asked, today.dns, today.cache) : []),
    ...below("authoritativeDNS.cache", [...capacityProps(outside), ...cachePart(outside)]),
    ...evidence.ours.flatMap((each) => readAs(each, ownProps)),
    // The default is a cache.
    ...(kept.isUncached ? found("nodeLocalDNS", { state: "disabled" }) : []),
    ...(ourCache ? unlessDefault("nodeLocalDNS.state", "enabled", "enabled") : []),
    ...(caches.length > 0 || isCacheOfFleet ? [] : unlessDefault("nodeLocalDNS.state", "disabled", "disabled")),
  ];
  const isScaled = scaled.length > 0 || valueAt(shared, ["authoritativeDNS", "autoscaler"]) !== undefined;
  // What the cluster's own DNS does is up to its owner, and the number of its pods to an autoscaler.
  const isMoot = ({ path: [key, ...rest] }: Finding) =>
    (kept.isKept &&
      ((key === "authoritativeDNS" && rest.length > 0) || key === "trafficDistribution" || key === "rewrites")) ||
    (isScaled && key === "authoritativeDNS" && rest[0] === "replicas");
  const meant = all.filter((finding) => !isMoot(finding));
  const written = meant.filter(({ isDefault }) => isDefault !== true);
  return {
    own: nested(written),
    known: nested([...written, ...meant]),
    reasons: {
      ...(proxy.idle.length > 0 && {
        kubeProxyMode: `${proxy.idle.join(", ")}: set none if something else handles Services, as Calico's eBPF does`,
      }),
    },
  };
}

function cachePart(outside: ReturnType<Answers["facts"]>): Finding[] {
  const { ttls, rest } = cacheProps(outside);
  return [...ttls, ...rest];
}

function below(path: string, findings: readonly Finding[]): Finding[] {
  return findings.map((each) => ({ ...each, path: [...path.split("."), ...each.path] }));
}

/**
 * The settings of a node cache that is there, or CoreDNS's for a new one, which asks for names outside the cluster
 * itself. Not the capacities: one on every node takes memory there.
 */
function nodeCacheProps({ caches }: Evidence, { cache, asked }: Today, description: Part): Part {
  const path = renderable(description)?.queryPath;
  if (path?.state !== "enabled" || caches.some(({ object }) => isOurs(object))) return {};
  const outside = cacheProps(asked.facts("."));
  const replaced = caches.find(isReplaced)?.ownAddresses ?? [];
  const isOther = replaced.length > 0 && !replaced.every((each) => path.linkLocalAddresses.includes(each));
  const isNew = caches.length === 0;
  const written = [
    ...(cache || isNew ? below("nodeLocalDNS.outsideCache", outside.ttls) : []),
    ...(cache || isNew
      ? below(
          "nodeLocalDNS.cache",
          outside.rest.map((each) => forEngine(each, path.engine)),
        )
      : []),
    // Running pods have it in their resolv.conf.
    ...(isOther && path.linkMadeBy ? found("nodeLocalDNS.linkLocalAddresses", replaced) : []),
  ].filter(({ isDefault }) => isDefault !== true);
  return nested(written);
}

/** What a new node cache asks the cluster's own DNS for, because nobody else would answer the same. */
function askedThere({ caches }: Evidence, today: Today, cluster: Cluster | undefined): Part {
  if (caches.length > 0 || !cluster?.components.nodeLocalDns || today.sources.length === 0) return {};
  const domain = today.dns.domain ?? cluster.domain;
  const zones = zonesLost(today.asked, answersThen(cluster, today), usualAnswers(domain), domain);
  return zones.length > 0 ? { nodeLocalDNS: { askClusterDNS: zones } } : {};
}

/** k8s-dns-node-cache, with its older CoreDNS, knows less. */
function forEngine(finding: Finding, engine: string): Finding {
  const [key] = finding.path;
  if (key !== "serveStale" || engine !== "node-cache") return finding;
  const { duration, refresh } = finding.value as ServeStale;
  return { ...finding, value: { duration, refresh } };
}

/** Keys that every cluster file needs: its users add what the objects do not show. */
const needed = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };

/** The cluster of a description, without whatever is still to be corrected in it. */
function renderable(description: Part): Cluster | undefined {
  let meant: Part = { ...needed, ...description };
  for (let tries = 0; tries < 5; tries++) {
    const { cluster, problems = [] } = resolve(meant);
    if (cluster) return cluster;
    for (const { path } of problems) meant = { ...needed, ...(without(meant, path) as Part) };
  }
  return undefined;
}

function without(value: unknown, [key, ...path]: readonly (string | number)[]): unknown {
  if (!isMapping(value) || key === undefined) return value;
  const entries = Object.entries(value).flatMap(([each, child]): [string, unknown][] => {
    if (each !== String(key)) return [[each, child]];
    return path.length > 0 && isMapping(child) ? [[each, without(child, path)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Leaves out CoreDNS's resources if they are the defaults for this cluster. */
function withoutUsualResources(description: Part, shared: Part): Part {
  const { authoritativeDNS } = description;
  if (!isMapping(authoritativeDNS)) return description;
  const { resources, ...others } = authoritativeDNS;
  if (resources === undefined) return description;
  const { authoritativeDNS: _, ...alone } = description;
  const lean = Object.keys(others).length === 0 ? alone : { ...description, authoritativeDNS: others };
  const usual = renderable(overlay(shared, lean) as Part)?.components.authoritativeDns?.resources;
  return usual && differences(resources, usual).length === 0 ? lean : description;
}

/** What answers with the description. */
function answersThen(cluster: Cluster, today: Today): Pick<Answers, "facts" | "zones"> {
  const { authoritativeDns, nodeLocalDns } = cluster.components;
  const read = (corefile: Corefile) => answersOf("", parseCorefile(renderCorefile(corefile)), cluster.domain);
  const servers = nodeLocalDns?.queryPath.clusterServers ?? [];
  return chained(
    nodeLocalDns && read(nodeLocalDnsCorefile(nodeLocalDns)),
    authoritativeDns ? read(authoritativeCorefile(authoritativeDns.names)) : today.dns,
    (server) => today.isCluster(server) || servers.includes(server),
  );
}

function additions(
  { workloads, caches }: Evidence,
  { isKept }: Kept,
  cluster: Cluster | undefined,
  asked: unknown,
): string[] {
  return [
    ...(caches.length === 0 && cluster?.components.nodeLocalDns
      ? [
          "a node cache: it keeps names outside the cluster as nodeLocalDNS.cache and nodeLocalDNS.outsideCache say, whatever authoritativeDNS.cache says",
        ]
      : []),
    ...(asked === undefined
      ? []
      : [
          `nodeLocalDNS.askClusterDNS: the node cache asks the cluster's own DNS for ${asked === "all" ? "all names" : "these names"}, which that answers in a way of its own`,
        ]),
    ...(isKept ? [] : workloads.slice(0, 1).flatMap((each) => readAs(each, otherVersion))),
  ];
}

/** What CoreDNS and its pods do now, and will not do. */
function different({ services, workloads }: Evidence, today: Today, cluster: Cluster | undefined): string[] {
  const authoritativeDns = cluster?.components.authoritativeDns;
  if (!authoritativeDns) return [];
  const ours = renderCluster(cluster).components.flatMap(({ objects }) => objects);
  const workload = workloads.find((each) => !isOurs(each));
  const sameKind = ours.find(({ kind, metadata }) => kind === authoritativeDns.kind && metadata.name === "coredns");
  const usual = usualAnswers(today.dns.domain ?? defaults.cluster.clusterDomain);
  const corefile = answersOf("", parseCorefile(renderCorefile(authoritativeCorefile(authoritativeDns.names))));
  return [
    ...(workload && workload === workloads[0] && sameKind
      ? readAs(workload, (each) => [...otherImage(each), ...differentPods(each, sameKind)])
      : []),
    ...services.slice(0, 1).flatMap((each) => readAs(each, otherPorts)),
    ...(today.sources.length > 0
      ? [
          ...differentAnswers(today.asked, answersThen(cluster, today), usual),
          ...differentOperation(today.dns, corefile, usual),
          ...today.dns.besides.map(
            ({ block, isForSome }) => `${today.dns.source}: ${block}${isForSome ? forSome : ""}`,
          ),
        ]
      : []),
  ];
}

const forSome = ", which is for some clients only";

/** What CoreDNS keeps, and a node cache that does not ask it does not give. */
function past(today: Today, cluster: Cluster | undefined): string[] {
  if (!cluster?.components.nodeLocalDns || today.sources.length === 0) return [];
  const usual = usualAnswers(today.dns.domain ?? defaults.cluster.clusterDomain);
  return [
    ...differentAnswers(today.asked, answersThen(cluster, today), usual),
    ...today.dns.besides
      .filter(({ isForSome }) => isForSome)
      .map(({ block }) => `${today.dns.source}: ${block}${forSome}: all queries come from the cache's address`),
  ];
}

/** What applying the file does not do. */
function todo(evidence: Evidence, { isKept }: Kept, today: Today, cluster: Cluster | undefined): string[] {
  const { objects, configMaps, services, workloads, caches, autoscalers, budgets } = evidence;
  const [service] = services;
  const [workload] = workloads;
  const path = cluster?.queryPath?.state === "enabled" ? cluster.queryPath : undefined;
  const isTaken = !isKept && workload !== undefined && !isOurs(workload);
  return [
    ...workloadsInTheWay(workloads, isKept),
    ...servicesInTheWay(services, isKept),
    ...(workloads.length === 0 && !isKept && service ? withoutWorkload(service) : []),
    ...caches.flatMap((each) => readAs(each.object, () => cacheInTheWay(each, path && path.linkLocalAddresses))),
    ...(path?.interception === "local-redirect" ? whyNoRedirect(objects) : []),
    ...(isKept
      ? []
      : [
          ...autoscalerProps(autoscalers, configMaps).todo,
          ...scalersInTheWay(autoscalers),
          ...budgetsInTheWay(budgets),
        ]),
    ...(isTaken ? [...foreignMarks(workload), ...upgradesAfterwards(objects)] : []),
    ...(isKept ? [] : configMaps.filter((each) => today.sources.includes(identity(each))).flatMap(otherWriters)),
  ];
}

/** @throws Error that names the object if the reader cannot make sense of it. */
function readAs<O extends KubernetesObject, T>(object: O, reader: (object: O) => T): T {
  try {
    return reader(object);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`${identity(object)}: is not as the API server writes it`, { cause: error });
  }
}
