import type { AgentConfig } from "../agent-config/agent-config";
import { agentConfigOf } from "../agent-config/agent-config-of";
import { outsideServers } from "../node-programs";
import type { CachedNames } from "../corefile/node-local-dns";
import { defaults } from "../defaults";
import type { FullProps } from "../full-props/fill-in";
import { everyTaint, placementOf, type Placement } from "../full-props/placement";
import { coreDnsVersionIn, imageOf, nodeCacheCoreDns } from "../images";
import { parseDuration } from "../syntax/duration";
import type { QueryPath } from "../query-path/query-path";
import { answeredNames } from "./answered-names";
import { askedThere, withoutAskedThere } from "./asked-there";
import { clusterCache, outsideCache } from "./cache";
import type { Facts } from "./facts";
import type { Size } from "../full-props/size";
import { resilienceOf } from "./resilience";
import { cachedNames } from "../size/cached-names";
import { type Memory, memoryFor, type MemoryPart, nodeCacheParts } from "../size/memory";
import { answeredAlone } from "../corefile/additions";
import { sidesOf } from "../corefile/rewrites";
import { answeredZones } from "../corefile/zones";
import { canonicalName, inZone } from "../syntax/names";
import type { WalkedPath } from "../corefile/search-path";
import { tenantNames } from "../tenancy/membership";

export type NodeLocalDnsSettings = ReturnType<typeof nodeLocalDnsSettings>;

/** Settings of a program that writes link, addresses and rules on its node, and where it runs. */
export interface NodeAgentSettings {
  readonly image: string;
  readonly config: AgentConfig;
  readonly placement: Placement;
}

/** The default of `nodeLocalDNS.removeAfter`: with service-ip, no pod was told the link-local address. */
export const removeAfterOf = { "service-ip": "1m", "link-local": "24h", "local-redirect": "1m" } as const;

export function nodeLocalDnsComponents(said: FullProps, facts: Facts) {
  const { queryPath: path } = facts;
  if (path === undefined) return { nodeLocalDns: undefined, watchdog: undefined, cleanup: undefined };
  const { nodeLocalDNS, agentImage } = said;
  const { nodePlacement: ofCache, watchdog, removeAfter = removeAfterOf[path.interception] } = nodeLocalDNS;
  const config = agentConfigOf(said, path);
  const agent = (placement: Placement): NodeAgentSettings | undefined =>
    config && agentImage ? { image: agentImage, config, placement } : undefined;

  const onEveryNode = placementOf({}, everyTaint);
  const cleaning = path.state === "removed" ? agent(onEveryNode) : undefined;
  // While draining, nothing else maintains the rules that running pods still need.
  const isWatched = path.state === "draining" || (path.state === "enabled" && watchdog);
  return {
    nodeLocalDns: path.state === "enabled" ? nodeLocalDnsSettings(said, facts, path, agent(ofCache)) : undefined,
    // Undefined if nodes have none of our rules, or if it is turned off.
    // Pods on a node without a cache also ask the link-local address, and need its rules to translate.
    watchdog: isWatched ? agent(path.interception === "link-local" ? onEveryNode : ofCache) : undefined,
    /** Only while nodes are being cleaned up, once the link-local address was silent for so long. */
    cleanup: cleaning && { ...cleaning, watchSeconds: (parseDuration(removeAfter) ?? 0) / 1000 },
  };
}

function nodeLocalDnsSettings(
  said: FullProps,
  facts: Facts,
  queryPath: QueryPath,
  nodeSetup: NodeAgentSettings | undefined,
) {
  const { size, clusterDomain: domain, metricsAddress, nodeLocalDNS } = said;
  const { image: named, cache, outsideCache: classes = {}, resources, corefile, nodePlacement } = nodeLocalDNS;
  const { engine } = queryPath;
  const image = imageOf(named, engineImages[engine], said.imageRegistry);
  const version = engine === "coredns" ? coreDnsVersionIn(image) : nodeCacheCoreDns;
  const walked = walkedPath(said);
  const resilience = resilienceOf(facts.resilience, version, 1 + (walked?.nodeDomains.length ?? 0));
  const ofCluster = clusterCache(cache, engine, cachedNames(size), resilience);
  const caches = { clusterCache: ofCluster, outsideCache: outsideCache(cache, classes, engine, resilience) };
  const answered = caches.outsideCache.serveStale?.preferPositive ? answeredNames(said) : undefined;
  const resolvers = nodeSetup && { resolversFile: outsideServers.file };
  const names: CachedNames = {
    domain,
    outside: {
      ...withoutAskedThere(facts.outside, said),
      ...resolvers,
      version,
      pinned: resilience?.pinned,
    },
    askedThere: askedThere(said),
    // An expired answer takes the place of no more than with the cluster's own names.
    answered: answered && {
      ...answered,
      cache: { ...caches.outsideCache, serveStale: ofCluster.serveStale },
      isOfCluster: answeredZones(said.zones).length === 0,
    },
    additions: corefile,
    walked,
    observation: facts.observation,
    resilience,
    ...caches,
  };
  const memory: Memory = memoryFor(nodeCacheMemory(names, size));
  return {
    image,
    queryPath,
    names,
    metricsAddress,
    /** Sets up link, addresses and rules; undefined if nodes need none. */
    nodeSetup,
    placement: nodePlacement,
    /** What it needs; the default of `resources`. */
    memory,
    resources: resources ?? {
      requests: { cpu: "25m", memory: memory.request },
      // k8s-dns-node-cache caches without bound: any limit would get it killed.
      ...(engine === "coredns" ? { limits: { memory: memory.limit } } : {}),
    },
  };
}

const engineImages = { coredns: defaults.authoritativeDNS.image, "node-cache": defaults.nodeCacheImage };

/** How the cache walks the search paths of pods; undefined if they do. */
function walkedPath(said: FullProps): WalkedPath | undefined {
  const { clusterDomain: domain, nodeLocalDNS, tenancy, federation, stubDomains, zones } = said;
  if (!nodeLocalDNS.searchPath) return undefined;
  // A file with mistakes may lack them.
  const { nodeDomains = [], topLevelDomains } = nodeLocalDNS.searchPath;
  const special = [...Object.keys(stubDomains), ...Object.keys(zones)].map(canonicalName);
  return {
    nodeDomains: nodeDomains.map(canonicalName),
    topLevelDomains: topLevelDomains.map(canonicalName),
    tenants: tenancy && { names: tenantNames(tenancy), isSoft: tenancy.isolation === "soft" },
    ownZones: [
      ...special.filter((zone) => inZone(zone, domain)),
      ...(federation ? [`${federation.name}.svc.${domain}`] : []),
    ].sort(),
    mayAnswerMore: answersMore(said),
  };
}

/** What a cache holds. */
export function nodeCacheMemory(names: CachedNames, size: Size): MemoryPart[] {
  return nodeCacheParts({ size, ...names, pinned: names.outside.pinned });
}

/** Only what the description says is known: not what a DNS answers that the cluster already has. */
function answersMore({ authoritativeDNS, nodeLocalDNS, rewrites, clusterDomain }: FullProps): boolean {
  const additions = [authoritativeDNS.corefile, nodeLocalDNS.corefile].flatMap((each) => answeredAlone(each));
  return (
    authoritativeDNS.kind === "Existing" ||
    rewrites.some((each) => sidesOf(each, clusterDomain).includes("cluster")) ||
    additions.some(({ part }) => part !== "otherNames")
  );
}
