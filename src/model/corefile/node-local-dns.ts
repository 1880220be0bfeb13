import type { QueryPath } from "../query-path/query-path";
import { upstreamServiceVariable } from "../query-path/query-path";
import { configHashVariable, healthPortVariable, nodeAddressVariable, type MetricsAddress } from "../node-programs";
import type { CorefileAdditions } from "../props/corefile";
import { reverseZones } from "../syntax/names";
import { withAdditions } from "./additions";
import { cachePlugin, type CacheSettings } from "./cache";
import { bufsize, plugin, serverBlock, variable, type Argument, type Corefile } from "./corefile";
import { forwardTo, maxConcurrent } from "./forward";
import { type CachedApart, outsideBlocks } from "./outside-blocks";
import { outsideFiles, type OutsideNames } from "./outside-names";
import { searchPathBlocks, searchPathFiles, walkListenAddresses, type WalkedPath } from "./search-path";
import { observed, type Observation } from "./observed";
import { type ServerResilience, withResilience } from "./resilience";

export interface CachedNames {
  readonly domain: string;
  /** For the cluster's names. */
  readonly clusterCache: CacheSettings;
  /** For all other names, including reverse names. */
  readonly outsideCache: CacheSettings;
  readonly outside: OutsideNames;
  /** Undefined: nothing. */
  readonly askedThere: AskedAtClusterDns | undefined;
  /** Undefined: they are cached as all names outside. */
  readonly answered: CachedApart | undefined;
  readonly additions: CorefileAdditions | undefined;
  /** Undefined: pods walk their search path themselves. */
  readonly walked: WalkedPath | undefined;
  readonly observation: Observation | undefined;
  readonly resilience: ServerResilience | undefined;
}

/** Names outside the cluster domain that the cluster's DNS answers otherwise than the servers outside. */
export interface AskedAtClusterDns {
  readonly zones: readonly string[];
  /** Whether that may be any name. */
  readonly isAll: boolean;
  /** Zones, also of stub domains, that blocks of the cache's own would take: the longest that has a name counts. */
  readonly below?: readonly string[];
}

/** Only the cache itself answers it (TXT), on each of its addresses: which pod, with which configuration. */
export const healthZone = "health.node-local-dns.internal";

/** Environment variables of the cache's container that its Corefile uses. */
export const cacheVariables = {
  podName: "POD_NAME",
  configHash: configHashVariable,
  healthPort: healthPortVariable,
  nodeAddress: nodeAddressVariable,
} as const;

/** Metrics port of the cache (nodelocaldns.yaml of Kubernetes). */
export const cacheMetricsPort = 9253;

/** How many seconds a stopping cache keeps answering; with it, a roll with two caches on the port lost nothing. */
export const cacheLameduckSeconds = 5;

/**
 * The same with Cilium, which redirects queries to a stopping pod until that is not ready: after two probes, a second
 * apart, and another second for the kubelet's status and Cilium's watch. With 5, and ready to the end, a roll lost 77 of
 * 13,940 queries.
 */
const redirectedLameduckSeconds = 10;

/** The default of CoreDNS' plugin ready. */
export const cacheReadyPort = 8181;

/** Whether the cache says that it is not ready as soon as it is told to stop; k8s-dns-node-cache cannot. */
export function saysWhenStopping({ linkMadeBy, engine }: QueryPath): boolean {
  return linkMadeBy === undefined && engine === "coredns";
}

/**
 * How many seconds until a stopping cache is killed. When its lameduck time is over, CoreDNS answers what it has
 * accepted, for up to five seconds (the timeout of `forward`), and closes its sockets only then. What arrives meanwhile
 * is lost, unless the watchdog sends it elsewhere: `unwatched` trades late answers for that.
 */
export const cacheGraceSeconds = { watched: cacheLameduckSeconds + 7, unwatched: cacheLameduckSeconds + 2 } as const;

/** Undefined: the pod's. A cache that makes the link itself is checked there, as upstream: a restart mends the link. */
export function healthHost({ linkMadeBy, linkLocalAddresses }: QueryPath): string | undefined {
  if (linkMadeBy === "node-cache") return linkLocalAddresses[0];
  return linkMadeBy && "127.0.0.1";
}

interface CacheCorefileInput {
  readonly names: CachedNames;
  readonly queryPath: QueryPath;
  readonly metricsAddress: MetricsAddress;
}

export function nodeLocalDnsCorefile({ names, queryPath: path, metricsAddress }: CacheCorefileInput): Corefile {
  const { domain, clusterCache, outsideCache, outside, askedThere, additions, walked } = names;
  const listenAddresses = [...path.listenAddresses, ...(walked ? walkListenAddresses : [])];
  const ofStubs = new Set(outside.stubDomains.map(({ zone }) => zone));
  const common = [
    // Without an address, on all of the pod's.
    ...(path.listenAddresses.length > 0 ? [plugin("bind", listenAddresses)] : []),
    plugin("prometheus", [metricsEndpoint(path, metricsAddress)]),
  ];
  const servers =
    path.clusterServers === "upstream-service" ? [variable(upstreamServiceVariable)] : path.clusterServers;
  const lameduckSeconds = path.linkMadeBy ? cacheLameduckSeconds : redirectedLameduckSeconds;
  const others = {
    names: outside,
    cache: outsideCache,
    plugins: [...common, bufsize],
    // Answers the cluster's addresses, and asks outside for others.
    elsewhere: {
      zones: [...reverseZones, ...(askedThere?.zones ?? [])],
      isAll: askedThere?.isAll ?? false,
      below: askedThere?.below ?? [],
      servers,
    },
    answered: names.answered,
    hasView: path.engine === "coredns",
  };
  const ours = [
    ...(walked ? searchPathBlocks(walked, domain, outsideCache, [...common, bufsize]) : []),
    serverBlock(
      [domain, ...(walked?.ownZones ?? []).filter((zone) => !ofStubs.has(zone))],
      [
        ...common,
        bufsize,
        cachePlugin(clusterCache),
        // Over TCP, as in the KEP: no conntrack entry outlives an answer, and a lost packet is retransmitted at once.
        forwardTo({ zone: ".", servers, protocol: "tcp" }, maxConcurrent, outside.version),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    ),
    ...outsideBlocks(others),
    // In a block of its own: the cluster zone's block may be busy waiting for its upstream.
    serverBlock(
      [healthZone],
      [
        ...common,
        ...(saysWhenStopping(path) ? [plugin("ready")] : []),
        plugin("health", [healthAddress(path)], [plugin("lameduck", [`${lameduckSeconds}s`])]),
        plugin("template", ["IN", "TXT", healthZone], [plugin("answer", [healthAnswer])]),
      ],
    ),
  ];
  const all = withAdditions(ours, additions, domain, [...common, bufsize]);
  return withResilience(observed(all, names.observation, healthZone), names.resilience);
}

export function cacheFiles({ outside, walked, domain }: CachedNames): { readonly [file: string]: string } {
  return { ...outsideFiles(outside), ...searchPathFiles(walked, domain) };
}

const healthAnswer: Argument = [
  '{{ .Name }} 0 IN TXT "pod=',
  variable(cacheVariables.podName),
  '" "config=',
  variable(cacheVariables.configHash),
  '"',
];

function healthAddress(path: QueryPath): Argument {
  const host = healthHost(path) ?? "";
  return [host.includes(":") ? `[${host}]:` : `${host}:`, variable(cacheVariables.healthPort)];
}

// In brackets, an address of either family works.
function metricsEndpoint(path: QueryPath, metrics: MetricsAddress): Argument {
  if (!path.linkMadeBy) return `:${cacheMetricsPort}`;
  return metrics === "loopback"
    ? `127.0.0.1:${cacheMetricsPort}`
    : ["[", variable(cacheVariables.nodeAddress), `]:${cacheMetricsPort}`];
}
