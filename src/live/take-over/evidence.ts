import { parse } from "yaml";
import { identity, type KubernetesObject } from "../../model/kubernetes/object";
import { podTemplate, sourcesOf } from "../../model/kubernetes/pods";
import { type ClusterState, objectsIn } from "../../model/running/cluster-state";
import { findDns } from "../../model/running/find-dns";
import { restorerOf } from "../../model/running/restorer";
import { upstreamServiceVariable } from "../../model/query-path/query-path";
import { isMapping } from "../../model/syntax/mapping";
import { orElse } from "../../model/syntax/or-else";
import { dense } from "../../model/syntax/sparse";
import { parseServer } from "../../model/syntax/addresses";
import { answersOf, type Answers, chained } from "../../model/takeover/answers";
import { ciliumProps, existingDns, serviceProps } from "../../model/takeover/cluster-props";
import { withBlocksOfOtherZones } from "../../model/takeover/apart";
import { serversIn } from "../../model/takeover/names-props";
import { defaults } from "../../model/defaults";
import { found, nested } from "../../model/takeover/found";
import { corefileIn, corefileOf, corefileOfKubeDNS, type FoundCorefile } from "../../model/takeover/corefiles";
import { nodeCacheOf } from "../../model/takeover/in-the-way";
import { isOurs } from "../../model/object-names";
import type { Fleet } from "./fleet";

export type Survey = ReturnType<typeof survey>;

/** @throws Error if there is no object, or that names one that cannot be read. */
export function survey(state: ClusterState, fleet: Fleet) {
  const evidence = evidenceOf(state);
  if (evidence.objects.length === 0) throw new Error("has no object of a cluster");
  const kept = keptIn(evidence, fleet);
  return { ...evidence, ...kept, ...answersToday(evidence, kept.isKept), fleet };
}

type Evidence = ReturnType<typeof evidenceOf>;

export function evidenceOf(state: ClusterState) {
  const objects = objectsIn(state);
  const { nodes = [], configMaps = [] } = state;
  const dns = findDns(state);
  const clusterDNS = dns.services.flatMap(({ spec }) => spec.clusterIPs ?? []);
  const kubeadm = configMaps.find(({ metadata: { name } }) => name === "kubeadm-config");
  const configuration: unknown = orElse(() => parse(kubeadm?.data?.["ClusterConfiguration"] ?? ""), undefined);
  const networking: unknown = isMapping(configuration) ? configuration["networking"] : undefined;
  return {
    ...dns,
    clusterDNS,
    objects,
    nodes,
    configMaps,
    caches: dns.caches.map((each) => nodeCacheOf(each, clusterDNS)),
    ours: objects.filter(isOurs),
    /** kubeadm's `ClusterConfiguration.networking`. */
    networking: (isMapping(networking) ? networking : {}) as { serviceSubnet?: string; dnsDomain?: string },
  };
}

function keptIn(evidence: Evidence, fleet: Fleet) {
  const { services, workloads, operators, caches } = evidence;
  const [workload] = workloads;
  const ourCache = caches.find(({ object }) => isOurs(object))?.object;
  const [owned] = dense([
    [...workloads.slice(0, 1), ...services.slice(0, 1), ...operators].map((object) => readAs(object, whyKept)),
    ourCache &&
      workload &&
      !isOurs(workload) &&
      `${identity(ourCache)} is ours, and ${identity(workload)} beside it is not`,
  ]);
  const isShared = fleet.says("authoritativeDNS", "kind") === "Existing" && !(workload && isOurs(workload));
  const isKept = owned !== undefined || isShared;
  const cacheless = isKept && !ourCache ? whyUncached(evidence, fleet) : undefined;
  const reasons: { readonly [key: string]: string } = {
    ...(owned !== undefined && { authoritativeDNS: owned }),
    ...(cacheless !== undefined && { nodeLocalDNS: cacheless }),
  };
  return {
    /** Whether the cluster's own DNS is left to its owner. */
    isKept,
    /** Whether there is no node cache. */
    isUncached: cacheless !== undefined || (workload !== undefined && isOurs(workload) && !ourCache),
    reasons,
  };
}

/** Why no node cache would reach the cluster's own DNS, as a cluster file with both is refused. */
function whyUncached({ objects, services, workloads, proxy }: Evidence, fleet: Fleet): string | undefined {
  const props = nested([
    ...services.slice(0, 1).flatMap((each) => readAs(each, serviceProps)),
    ...found("kubeProxyMode", proxy.mode),
    ...ciliumProps(objects),
    ...found("authoritativeDNS", existingDns(services, workloads)),
  ]);
  const { problems = [] } = fleet.resolve(props);
  const refused = problems.find(({ path: [key, part] }) => key === "authoritativeDNS" && part === "service");
  return refused && `authoritativeDNS.service: ${refused.message}`;
}

function whyKept(object: KubernetesObject): string | undefined {
  const owner = isOurs(object) ? undefined : restorerOf(object);
  return owner && `${identity(object)} belongs to ${owner.name}, which would undo changes (${owner.mark})`;
}

export function answersToday(evidence: Evidence, isKept: boolean) {
  const { configMaps, workloads, clusterDNS, caches, networking } = evidence;
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
  const [clusterServer = "10.96.0.10"] = clusterDNS;
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
  const answers = ({ source = "", corefile = [] }: FoundCorefile, domain = networking.dnsDomain): Answers => ({
    ...answersOf(source, withBlocksOfOtherZones(corefile, domain), domain),
    corefile,
  });
  const ofDns = answers(dns);
  const ofCache = cache && answers(cache, ofDns.domain);
  // Whom a cache asks for the cluster's names, whatever Service has the address.
  const ofNames = ofCache?.facts(ofDns.domain ?? defaults.cluster.clusterDomain) ?? [];
  const addresses = serversIn(ofNames).map((server) => parseServer(server)?.address);
  const isCluster = (server: string) =>
    server.includes(upstreamServiceVariable) ||
    [...clusterDNS, clusterServer, ...addresses].includes(parseServer(server)?.address ?? server);
  return {
    dns: ofDns,
    cache: ofCache,
    isCluster,
    asked: chained(ofCache, ofDns, isCluster),
    unread: [...dns.unread, ...ofCaches.flatMap(({ unread }) => unread)],
    sources: [dns.source, cache?.source].filter((each) => each !== undefined),
  };
}

function mounts(workload: KubernetesObject, configMap: string): boolean {
  return (podTemplate(workload).spec.volumes ?? []).some((volume) =>
    sourcesOf(volume).some((each) => each?.name === configMap),
  );
}

/** @throws Error that names the object if the reader cannot make sense of it. */
export function readAs<O extends KubernetesObject, T>(object: O, reader: (object: O) => T): T {
  try {
    return reader(object);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`${identity(object)}: is not as the API server writes it`, { cause: error });
  }
}
