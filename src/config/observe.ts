import { parse } from "yaml";
import { resolve } from "../model/check/resolve";
import { differences } from "../model/kubernetes/differences";
import { identity, type KubernetesObject } from "../model/kubernetes/object";
import { mountedConfigMaps, podTemplate } from "../model/kubernetes/pods";
import { isOurs } from "../model/object-names";
import { fromCorefile } from "../model/observed/corefile-finding";
import { type Finding, found, type Found, unlessDefault } from "../model/observed/finding";
import {
  fromKubeDNSConfig,
  fromNodes,
  fromService,
  fromWorkload,
  otherVersion,
  whyNoUpstream,
} from "../model/observed/from-object";
import { fromOpenShift } from "../model/observed/from-openshift";
import { fromOurs } from "../model/observed/ours";
import {
  autoscaler,
  nodeCache,
  servicesInTheWay,
  withoutWorkload,
  workloadsInTheWay,
} from "../model/observed/takeover";
import type { AuthoritativeDnsOptions } from "../model/props/authoritative-dns";
import type { ServeStale } from "../model/props/cache";
import type { QueryPath } from "../model/query-path/query-path";
import { type ClusterState, objectsIn } from "../model/running/cluster-state";
import { findDns } from "../model/running/find-dns";
import type { Proxy } from "../model/running/find-proxy";
import { mountedCorefile } from "../model/running/mounted-corefile";
import { ownerOf } from "../model/running/owner";
import { isMapping } from "../model/syntax/mapping";
import { besideDefaults, inherited, type Part } from "./beside-defaults";
import { valueAt } from "./origin";
import { overlay } from "./overlay";

/** What a cluster's objects show about its DNS. */
export interface Observation {
  /** What a cluster file says beside the defaults file, if there is one; not checked. */
  readonly description: Part;
  /** Why a key has its value. */
  readonly reasons: { readonly [key: string]: string };
  /** What they contain that a cluster file cannot express. */
  readonly unsaid: readonly string[];
  /** What the defaults file gives the cluster that they do not show, and the description does not overrule. */
  readonly inherited: readonly string[];
  /** What a cluster has with this description that it does not have now. */
  readonly additions: readonly string[];
  /** Objects that were rendered from a cluster file of ours. */
  readonly ours: readonly KubernetesObject[];
}

/** What to fetch: everything in kube-system that is relevant to DNS. */
export const kubectlArguments = [
  "-n",
  "kube-system",
  "get",
  "nodes,services,configmaps,deployments,daemonsets",
  "-o",
  "json",
];

/**
 * @param shared What the defaults file says, where the cluster file will be.
 * @throws Error if the state has no object, or that names one that cannot be read.
 */
export function observe(state: ClusterState, shared: Part = {}): Observation {
  const objects = objectsIn(state);
  if (objects.length === 0) throw new Error("has no object of a cluster");
  const { configMaps = [] } = state;
  const named = (name: RegExp) => configMaps.filter(({ metadata }) => name.test(metadata.name));
  const dns = findDns(state);
  const services = dns.services.slice(0, 1);
  const workloads = dns.workloads.slice(0, 1);
  // One may be left from before CoreDNS, which does not read it.
  const hasKubeDNS = workloads.every((each) => readAs(each, mountedCorefile) === undefined);
  const { caches, operators } = dns;
  const ourCache = caches.find(isOurs);
  const [owned] = [
    ...[...workloads, ...services, ...operators].flatMap((object) => readAs(object, whyKept)),
    ...(ourCache ? workloads.flatMap((each) => whyKeptBeside(ourCache, each)) : []),
  ];
  const isKept =
    owned !== undefined || (valueAt(shared, ["authoritativeDNS", "kind"]) === "Existing" && !workloads.some(isOurs));
  const [cacheless] =
    isKept && !ourCache && (shared["agentImage"] ?? "none") === "none"
      ? services.flatMap((each) => readAs(each, whyNoUpstream) ?? [])
      : [];
  const isDisabled = cacheless !== undefined || (workloads.some(isOurs) && !ourCache);
  const isCacheOfFleet = valueAt(shared, ["nodeLocalDNS", "state"]) !== "disabled";
  const hasCache = !isDisabled && (ourCache !== undefined || isCacheOfFleet);
  const all: Found[] = [
    workloadsInTheWay(dns.workloads, isKept),
    servicesInTheWay(dns.services, isKept),
    ...(workloads.length > 0 || isKept ? [] : services.map(withoutWorkload)),
    ...(isKept
      ? [only(found("authoritativeDNS", { kind: "Existing" }))]
      : [...workloads.map((each) => readAs(each, fromWorkload)), ...dns.autoscalers.map(autoscaler)]),
    ...services.map((each) => readAs(each, fromService)),
    only(fromNodes(state.nodes ?? [])),
    fromProxy(dns.proxy, configMaps),
    ...named(/^kubeadm-config$/).map((each) => readAs(each, fromKubeadm)),
    ...fromMountedCorefile(configMaps, workloads[0], isKept),
    ...(hasKubeDNS ? named(/^kube-dns$/).map((each) => readAs(each, fromKubeDNSConfig)) : []),
    ...operators.map((each) => readAs(each, fromOpenShift)),
    ...caches.map((each) => nodeCache(each, hasCache)),
    ...objects.filter(isOurs).map((each) => readAs(each, fromOurs)),
    // The default is a cache.
    only(isDisabled ? found("nodeLocalDNS", { state: "disabled" }) : []),
    only(ourCache ? unlessDefault("nodeLocalDNS.state", "enabled", "enabled") : []),
    only(caches.length > 0 || isCacheOfFleet ? [] : unlessDefault("nodeLocalDNS.state", "disabled", "disabled")),
  ];
  const isScaled = valueAt(shared, ["authoritativeDNS", "autoscaler"]) !== undefined;
  // What the cluster's own DNS does is up to its owner, and the number of its pods to an autoscaler.
  const isMoot = ({ path: [key, ...below] }: Finding) =>
    (isKept && ((key === "authoritativeDNS" && below.length > 0) || key === "trafficDistribution")) ||
    (isScaled && key === "authoritativeDNS" && below[0] === "replicas");
  const findings = all.flatMap((each) => each.findings);
  const written = findings.filter(({ isDefault }) => isDefault !== true);
  const own = nested(written.filter((finding) => !isMoot(finding)));
  const known = nested([...written, ...findings].filter((finding) => !isMoot(finding)));
  const alone = besideDefaults(known, withoutUsualResources(own, shared), shared);
  const newCache = caches.length === 0 ? nodeCachePath(overlay(shared, alone) as Part) : undefined;
  const sameCache = newCache ? likeCoreDNS(nested(written), newCache) : {};
  return {
    // A fleet chooses what its node caches keep.
    description: { ...alone, ...besideDefaults(overlay(sameCache, shared) as Part, sameCache, shared) },
    inherited: inherited(known, shared),
    reasons: {
      ...(owned !== undefined && { authoritativeDNS: owned }),
      ...(cacheless !== undefined && { nodeLocalDNS: cacheless }),
    },
    unsaid: [...new Set(all.flatMap(({ unsaid }) => unsaid))],
    additions: [
      ...(newCache ? [aboutNewCache] : []),
      ...(isKept ? [] : workloads.flatMap((each) => readAs(each, otherVersion))),
    ],
    ours: objects.filter(isOurs),
  };
}

const aboutNewCache =
  "a node cache: it keeps names outside the cluster as nodeLocalDNS.cache and nodeLocalDNS.outsideCache say, whatever authoritativeDNS.cache says";

/**
 * The path through a node cache, if any, whatever else is to be corrected in the description: its users add a mode that
 * the objects do not show, or replace one that is refused.
 */
function nodeCachePath({ clusterDNS, kubeProxyMode, cni, agentImage, nodeLocalDNS }: Part): QueryPath | undefined {
  const [cluster] = [kubeProxyMode, needed.kubeProxyMode].flatMap(
    (mode) => resolve({ clusterDNS, kubeProxyMode: mode, cni, agentImage, nodeLocalDNS }).cluster ?? [],
  );
  const path = cluster?.queryPath;
  return path?.state === "enabled" ? path : undefined;
}

/**
 * The settings of CoreDNS's cache for a new node cache, which asks for names outside the cluster itself. Not the
 * capacities: one on every node takes memory there.
 */
function likeCoreDNS(description: Part, { engine }: QueryPath): Part {
  const { authoritativeDNS } = description as { authoritativeDNS?: AuthoritativeDnsOptions };
  const { success, denial, prefetch, serveStale } = authoritativeDNS?.cache ?? {};
  const stale = typeof serveStale === "object" && engine === "node-cache" ? olderKeys(serveStale) : serveStale;
  const nodeLocalDNS = said({
    cache: said({ prefetch, serveStale: stale }),
    outsideCache: said({ success: said({ ttl: success?.ttl }), denial: said({ ttl: denial?.ttl }) }),
  });
  return nodeLocalDNS ? { nodeLocalDNS } : {};
}

/** Those that k8s-dns-node-cache, with its older CoreDNS, knows. */
function olderKeys({ duration, refresh }: ServeStale): ServeStale {
  return { duration, ...(refresh && { refresh }) };
}

/** Without missing values; undefined if all are. */
function said(mapping: object): object | undefined {
  const entries = Object.entries(mapping).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Keys that every cluster file needs, which the resources do not depend on. */
const needed = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };

/** Leaves out CoreDNS's resources if they are the defaults for this cluster. */
function withoutUsualResources(description: Part, shared: Part): Part {
  const { authoritativeDNS, ...alone } = description;
  if (!isMapping(authoritativeDNS)) return description;
  const { resources, ...others } = authoritativeDNS;
  const lean = Object.keys(others).length === 0 ? alone : { ...description, authoritativeDNS: others };
  const usual = resolve({ ...needed, ...(overlay(shared, lean) as Part) }).cluster?.components.authoritativeDns
    ?.resources;
  return resources !== undefined && usual && differences(resources, usual).length === 0 ? lean : description;
}

/** @throws Error that names the object if the reader cannot make sense of it. */
function readAs<T>(object: KubernetesObject, reader: (object: KubernetesObject) => T): T {
  try {
    return reader(object);
  } catch (error) {
    const what = error instanceof TypeError ? "is not as the API server writes it" : (error as Error).message;
    throw new Error(`${identity(object)}: ${what}`, { cause: error });
  }
}

/** Why to leave the cluster's DNS alone, if somebody restores it. */
function whyKept(object: KubernetesObject): string[] {
  const owner = isOurs(object) ? undefined : ownerOf(object);
  return owner ? [`${identity(object)} belongs to ${owner.name}, which would undo changes (${owner.mark})`] : [];
}

/** A cluster file of ours with a cache would have replaced it, unless it leaves it alone. */
function whyKeptBeside(ourCache: KubernetesObject, workload: KubernetesObject): string[] {
  return isOurs(workload) ? [] : [`${identity(ourCache)} is ours, and ${identity(workload)} beside it is not`];
}

/** The Corefile that the workload mounts or, if no workload is among the objects, the one with a usual name. */
function fromMountedCorefile(
  configMaps: readonly KubernetesObject[],
  workload: KubernetesObject | undefined,
  isKept: boolean,
): Found[] {
  if (!workload)
    return configMaps
      .filter(({ metadata: { name } }) => /^(rke2-)?coredns(-rke2-coredns)?$|^dns-default$/.test(name))
      .flatMap((each) => fromKey(each, "Corefile", isKept) ?? []);
  const named = (name: string) => configMaps.find(({ metadata }) => metadata.name === name);
  const missing = readAs(workload, (each) => mountedConfigMaps(podTemplate(each).spec)).filter((name) => !named(name));
  const mounted = readAs(workload, mountedCorefile);
  const { configMap, key } = mounted?.from ?? {};
  const source = configMap === undefined ? undefined : named(configMap);
  const read = source && key !== undefined ? fromKey(source, key, isKept) : undefined;
  const isUnread = mounted && !read && !(configMap !== undefined && missing.includes(configMap));
  const where = source ? `${identity(source)} has no key ${key}` : "no ConfigMap among the objects is mounted there";
  return [
    ...(read ? [read] : []),
    {
      findings: [],
      unsaid: [
        ...missing.map((name) => `ConfigMap ${name}, which DNS pods mount, is not among the objects`),
        ...(isUnread
          ? [
              `${identity(workload)}: Corefile ${mounted.path} is not read: ${where}; compare it with the cluster file yourself`,
            ]
          : []),
      ],
    },
  ];
}

function fromKey(configMap: KubernetesObject, key: string, isKept: boolean): Found | undefined {
  const text = configMap.data?.[key];
  return text === undefined ? undefined : fromCorefile(text, identity(configMap), isKept);
}

function fromProxy({ mode }: Proxy, configMaps: readonly KubernetesObject[]): Found {
  const hasCilium = configMaps.some(({ metadata: { name } }) => name === "cilium-config");
  return only([...found("kubeProxyMode", mode), ...(hasCilium ? found("cni", "cilium") : [])]);
}

/** kubeadm's ClusterConfiguration. */
function fromKubeadm({ data }: KubernetesObject): Found {
  const configuration: unknown = parse(data?.["ClusterConfiguration"] ?? "");
  const networking =
    isMapping(configuration) && isMapping(configuration["networking"]) ? configuration["networking"] : {};
  const { serviceSubnet } = networking;
  return only(typeof serviceSubnet === "string" ? found("serviceCIDRs", serviceSubnet.split(",")) : []);
}

function only(findings: readonly Finding[]): Found {
  return { findings, unsaid: [] };
}

/** Combines findings into one value; for the same place, the first wins. */
function nested(findings: readonly Finding[]): { readonly [key: string]: unknown } {
  const root: { [key: string]: unknown } = {};
  for (const { path, value } of findings) {
    let here = root;
    for (const key of path.slice(0, -1)) here = (here[key] ??= {}) as { [key: string]: unknown };
    here[path.at(-1) ?? ""] ??= structuredClone(value);
  }
  return root;
}
