import type { AgentConfig } from "../agent-config/agent-config";
import { agentConfigOf } from "../agent-config/agent-config-of";
import type { MetricsAddress } from "../node-programs";
import type { CachedNames } from "../corefile/node-local-dns";
import type { OutsideNames } from "../corefile/outside-names";
import { defaults, withDefaults } from "../defaults";
import { imageOf } from "../images";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Resources } from "../props/placement";
import type { ClusterSize } from "../props/size";
import { parseDuration } from "../syntax/duration";
import type { QueryPath } from "../query-path/query-path";
import { clusterCache, outsideCache } from "./cache";
import { nodeCacheMemory, type Memory } from "./memory";
import { everyTaint, placementOf, type Placement } from "./placement";

/** What the node cache is told. */
export interface NodeLocalDnsSettings {
  readonly engine: "coredns" | "node-cache";
  readonly image: string;
  readonly queryPath: QueryPath;
  readonly names: CachedNames;
  readonly metricsAddress: MetricsAddress;
  /** Sets up link, addresses and rules; undefined where nodes need none. */
  readonly nodeSetup: NodeAgentSettings | undefined;
  readonly placement: Placement;
  /** What it needs; `resources` has it unless the user says otherwise. */
  readonly memory: Memory;
  readonly resources: Resources;
}

/** What a program that writes link, addresses and rules on its node is told, and where it runs. */
export interface NodeAgentSettings {
  readonly image: string;
  readonly config: AgentConfig;
  readonly placement: Placement;
}

/** What the program that removes link, addresses and rules is told. */
export interface CleanupSettings extends NodeAgentSettings {
  /** How long nobody must have asked the link-local address. */
  readonly watchSeconds: number;
}

/** The components that make the node cache. */
export interface NodeLocalDnsComponents {
  readonly nodeLocalDns: NodeLocalDnsSettings | undefined;
  /** Undefined where nodes have no rules of ours, or nobody is to watch over them. */
  readonly watchdog: NodeAgentSettings | undefined;
  /** Only where the nodes are to be cleaned. */
  readonly cleanup: CleanupSettings | undefined;
}

export function nodeLocalDnsComponents(cluster: ClusterFacts, path: QueryPath | undefined): NodeLocalDnsComponents {
  if (path === undefined) return { nodeLocalDns: undefined, watchdog: undefined, cleanup: undefined };
  const { nodeLocalDNS, agentImage } = cluster;
  const { nodePlacement, watchdog, removeAfter } = withDefaults(nodeLocalDNS, defaults.nodeLocalDNS);
  const config = agentConfigOf(cluster, cluster.domain, path);
  const agent = (placement: Placement): NodeAgentSettings | undefined =>
    config && agentImage ? { image: agentImage, config, placement } : undefined;

  const ofCache = placementOf(nodePlacement, everyTaint);
  const onEveryNode = placementOf({}, everyTaint);
  // While draining, nothing else keeps the rules that running pods still need.
  const isWatched = path.state === "draining" || (path.state === "enabled" && watchdog);
  return {
    nodeLocalDns: path.state === "enabled" ? nodeLocalDnsSettings(cluster, path, ofCache, agent(ofCache)) : undefined,
    // Pods of a node without a cache ask the link-local address as well: its rules must be there to translate.
    watchdog: isWatched ? agent(path.interception === "link-local" ? onEveryNode : ofCache) : undefined,
    cleanup: path.state === "removed" ? cleanupSettings(agent(onEveryNode), removeAfter) : undefined,
  };
}

function cleanupSettings(agent: NodeAgentSettings | undefined, removeAfter: string): CleanupSettings | undefined {
  return agent && { ...agent, watchSeconds: (parseDuration(removeAfter) ?? 0) / 1000 };
}

type ClusterFacts = Pick<ClusterDnsProps, "clusterDNS" | "kubeProxyMode" | "nodeLocalDNS" | "agentImage"> & {
  readonly imageRegistry: string;
  readonly domain: string;
  readonly outside: OutsideNames;
  readonly size: Required<ClusterSize>;
  readonly metricsAddress: MetricsAddress;
};

function nodeLocalDnsSettings(
  { nodeLocalDNS, imageRegistry, domain, outside, size, metricsAddress }: ClusterFacts,
  queryPath: QueryPath,
  placement: Placement,
  nodeSetup: NodeAgentSettings | undefined,
): NodeLocalDnsSettings {
  const options = withDefaults(nodeLocalDNS, defaults.nodeLocalDNS);
  const { engine } = options;
  const caches = {
    clusterCache: clusterCache(options.cache, engine),
    outsideCache: outsideCache(options.cache, options.outsideCache ?? {}, engine),
  };
  const memory = nodeCacheMemory({ size, ...caches });
  return {
    engine,
    image: imageOf(nodeLocalDNS?.image, engineImages[engine], imageRegistry),
    queryPath,
    names: { domain, outside, ...caches },
    metricsAddress,
    nodeSetup,
    placement,
    memory,
    resources: options.resources ?? {
      requests: { cpu: "25m", memory: memory.request },
      // What k8s-dns-node-cache caches has no bound: any limit would have it killed.
      ...(engine === "coredns" ? { limits: { memory: memory.limit } } : {}),
    },
  };
}

const engineImages = { coredns: defaults.authoritativeDNS.image, "node-cache": defaults.nodeCacheImage };
