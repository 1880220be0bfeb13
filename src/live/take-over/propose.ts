import type { Part } from "../../config/overlay";
import type { Cluster } from "../../model/cluster/cluster";
import { differences } from "../../model/kubernetes/differences";
import type { ServeStale } from "../../model/props/cache";
import { isMapping } from "../../model/syntax/mapping";
import { autoscalerProps } from "../../model/takeover/autoscaler-props";
import { ciliumProps, existingDns, serviceProps, versionProps } from "../../model/takeover/cluster-props";
import { type FoundValue, found, nested, unlessDefault } from "../../model/takeover/found";
import { isReplaced } from "../../model/takeover/in-the-way";
import { defaults } from "../../model/defaults";
import { capacityProps, namesProps, serversIn, staleProps, ttlProps } from "../../model/takeover/names-props";
import { ownProps, workloadProps } from "../../model/takeover/workload-props";
import { isOurs } from "../../model/object-names";
import { readAs, type Survey } from "./evidence";
import type { Fleet } from "./fleet";

/**
 * What keys of a cluster file say beside the defaults file, but for its text and for whom its node cache asks; all that is
 * known of the cluster; and why the objects do not show a key's value.
 */
export function propose(survey: Survey) {
  const { fleet } = survey;
  const { known, own, reasons } = findingsOf(survey);
  const ofCluster = fleet.beside(known, withoutUsualResources(own, fleet));
  const ofCache = nodeCacheProps(survey, fleet.cluster(ofCluster));
  return { description: { ...ofCluster, ...fleet.beside(fleet.first(ofCache), ofCache) }, known, reasons };
}

function findingsOf(survey: Survey) {
  const { objects, services, workloads, caches, networking, proxy, isKept, fleet } = survey;
  const isCacheOfFleet = fleet.says("nodeLocalDNS", "state") !== "disabled";
  const ourCache = caches.some(({ object }) => isOurs(object));
  const scaled = autoscalerProps(survey.autoscalers, survey.configMaps).findings;
  const outside = survey.dns.facts(".");
  const all: FoundValue[] = [
    ...(isKept
      ? found("authoritativeDNS", existingDns(services, workloads))
      : workloads.slice(0, 1).flatMap((each) => readAs(each, workloadProps))),
    ...scaled,
    ...services.slice(0, 1).flatMap((each) => readAs(each, serviceProps)),
    ...versionProps(survey.nodes),
    ...found("kubeProxyMode", proxy.mode),
    ...ciliumProps(objects),
    ...(typeof networking.serviceSubnet === "string" ? found("serviceCIDRs", networking.serviceSubnet.split(",")) : []),
    ...(survey.sources.length > 0 ? namesProps(survey, services[0]?.spec.clusterIPs ?? []) : []),
    ...below("authoritativeDNS.cache", [
      ...capacityProps(outside),
      ...ttlProps(outside, defaults.cache),
      ...staleProps(outside),
    ]),
    ...survey.ours.flatMap((each) => readAs(each, ownProps)),
    // The default is a cache.
    ...(survey.isUncached ? found("nodeLocalDNS", { state: "disabled" }) : []),
    ...(ourCache ? unlessDefault("nodeLocalDNS.state", "enabled", "enabled") : []),
    ...(caches.length > 0 || isCacheOfFleet ? [] : unlessDefault("nodeLocalDNS.state", "disabled", "disabled")),
  ];
  const isScaled = scaled.length > 0 || fleet.says("authoritativeDNS", "autoscaler") !== undefined;
  // What the cluster's own DNS does is up to its owner, and the number of its pods to an autoscaler.
  const isMoot = ({ path: [key, ...rest] }: FoundValue) =>
    (isKept &&
      ((key === "authoritativeDNS" && rest.length > 0) ||
        // Servers of a zone are asked by a cache as well.
        (key === "zones" && rest[1] !== "forward") ||
        ["queryLog", "rewrites", "trafficDistribution"].includes(key ?? ""))) ||
    (isScaled && key === "authoritativeDNS" && rest[0] === "replicas");
  const meant = all.filter((finding) => !isMoot(finding));
  // By the fleet's size, our default is another number.
  const isSized = fleet.says("size", "nodes") !== undefined;
  const written = meant.filter(
    ({ isDefault, path }) => isDefault !== true || (isSized && path.join(".") === "authoritativeDNS.replicas"),
  );
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

function below(path: string, findings: readonly FoundValue[]): FoundValue[] {
  return findings.map((each) => ({ ...each, path: [...path.split("."), ...each.path] }));
}

/** Those of a cache that is there, or CoreDNS's. Not the capacities: one on every node takes memory there. */
function nodeCacheProps({ caches, cache, asked, dns, isCluster }: Survey, cluster: Cluster | undefined): Part {
  const path = cluster?.queryPath;
  if (path?.state !== "enabled" || caches.some(({ object }) => isOurs(object))) return {};
  // Also one that asks the cluster's DNS for all names has its own.
  const outside = (cache ?? asked).facts(".");
  const ofCluster = cache?.facts(dns.domain ?? defaults.cluster.clusterDomain) ?? [];
  const replaced = caches.find(isReplaced)?.ownAddresses ?? [];
  const isOther = replaced.length > 0 && !replaced.every((each) => path.linkLocalAddresses.includes(each));
  const isNew = caches.length === 0;
  const servers = cache ? serversIn(cache.facts(".")) : [];
  const written = [
    ...(cache || isNew ? below("nodeLocalDNS.outsideCache", ttlProps(outside, defaults.cache)) : []),
    ...below("nodeLocalDNS.cache", ttlProps(ofCluster, defaults.clusterCache)),
    ...(cache || isNew
      ? below(
          "nodeLocalDNS.cache",
          staleProps(outside).map((each) => forEngine(each, path.engine)),
        )
      : []),
    // Nodes that reach no server outside have such a one.
    ...(servers.length > 0 && servers.every(isCluster) ? found("nodeLocalDNS.askClusterDNS", "all") : []),
    // Running pods have it in their resolv.conf.
    ...(isOther && path.linkMadeBy ? found("nodeLocalDNS.linkLocalAddresses", replaced) : []),
  ].filter(({ isDefault }) => isDefault !== true);
  return nested(written);
}

/** k8s-dns-node-cache, with its older CoreDNS, knows less. */
function forEngine(finding: FoundValue, engine: string): FoundValue {
  const [key] = finding.path;
  if (key !== "serveStale" || engine !== "node-cache") return finding;
  const { duration, refresh } = finding.value as ServeStale;
  return { ...finding, value: { duration, refresh } };
}

/** Leaves out CoreDNS's resources if they are the defaults for this cluster. */
function withoutUsualResources(description: Part, fleet: Fleet): Part {
  const { authoritativeDNS } = description;
  if (!isMapping(authoritativeDNS)) return description;
  const { resources, ...others } = authoritativeDNS;
  if (resources === undefined) return description;
  const { authoritativeDNS: _, ...alone } = description;
  const lean = Object.keys(others).length === 0 ? alone : { ...description, authoritativeDNS: others };
  const usual = fleet.cluster(lean)?.components.authoritativeDns?.resources;
  return usual && differences(resources, usual).length === 0 ? lean : description;
}
