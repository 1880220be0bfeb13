import type { QueryPath } from "../query-path/query-path";
import { upstreamServiceVariable } from "../query-path/query-path";
import { configHashVariable, nodeAddressVariable, type MetricsAddress } from "../node-programs";
import { cachePlugin, ofStubDomain, type CacheSettings } from "./cache";
import { bufsize, plugin, variable, type Argument, type Corefile, type Directive } from "./corefile";
import { forwardOutside, forwardTo, hostsPlugin, maxConcurrent, type OutsideNames } from "./outside-names";

/** What the node cache answers. */
export interface CachedNames {
  readonly domain: string;
  /** For the cluster's names. */
  readonly clusterCache: CacheSettings;
  /** For all others. */
  readonly outsideCache: CacheSettings;
  readonly outside: OutsideNames;
}

/** A name that only the cache itself answers (TXT), on each of its addresses: who answers, with which configuration. */
export const healthZone = "health.node-local-dns.internal";

/** Environment variables of the cache's container that its Corefile refers to. */
export const cacheVariables = {
  podName: "POD_NAME",
  configHash: configHashVariable,
  healthPort: "HEALTH_PORT",
  nodeAddress: nodeAddressVariable,
} as const;

/** Metrics port of the cache (nodelocaldns.yaml of Kubernetes). */
export const cacheMetricsPort = 9253;

/** Seconds for which a stopping cache goes on answering; a roll with two caches on the port lost nothing with it. */
export const cacheLameduckSeconds = 5;

/** The Corefile of the node cache. Both engines know the plugins that it uses, so it serves both. */
export function nodeLocalDnsCorefile(names: CachedNames, path: QueryPath, metrics: MetricsAddress = "node"): Corefile {
  const { domain, clusterCache, outsideCache, outside } = names;
  const common = [
    plugin("errors"),
    ...(path.listenAddresses.length > 0 ? [plugin("bind", path.listenAddresses)] : []),
    plugin("prometheus", [metricsEndpoint(path, metrics)]),
  ];
  const zone = (zones: readonly string[], plugins: readonly Directive[]) => ({
    zones,
    plugins: [...common, bufsize, ...plugins, plugin("loop"), plugin("loadbalance")],
  });
  return [
    zone([domain, "in-addr.arpa", "ip6.arpa"], [cachePlugin(clusterCache), forwardToCluster(path)]),
    ...outside.stubDomains.map((stub) =>
      zone([stub.zone], [...hostsPlugin(stub.hostAliases), cachePlugin(ofStubDomain(outsideCache)), forwardTo(stub)]),
    ),
    zone(["."], [...hostsPlugin(outside.hostAliases), cachePlugin(outsideCache), forwardOutside(outside)]),
    // In a block of its own: that of the cluster zone may be busy with its upstream.
    {
      zones: [healthZone],
      plugins: [
        ...common,
        plugin("health", [healthAddress(path)], [plugin("lameduck", [`${cacheLameduckSeconds}s`])]),
        plugin("template", ["IN", "TXT", healthZone], [plugin("answer", [healthAnswer])]),
      ],
    },
  ];
}

const healthAnswer: Argument = [
  '{{ .Name }} 0 IN TXT "pod=',
  variable(cacheVariables.podName),
  '" "config=',
  variable(cacheVariables.configHash),
  '"',
];

// On the host's network only the kubelet of the same node needs it.
function healthAddress(path: QueryPath): Argument {
  return [path.hostNetwork ? "127.0.0.1:" : ":", variable(cacheVariables.healthPort)];
}

// In brackets an address of either family.
function metricsEndpoint(path: QueryPath, metrics: MetricsAddress): Argument {
  if (!path.hostNetwork) return `:${cacheMetricsPort}`;
  return metrics === "loopback"
    ? `127.0.0.1:${cacheMetricsPort}`
    : ["[", variable(cacheVariables.nodeAddress), `]:${cacheMetricsPort}`];
}

// Over TCP, as the KEP has it: no conntrack entry outlives an answer, and a lost packet is sent again at once.
function forwardToCluster(path: QueryPath): Directive {
  const servers =
    path.clusterServers === "upstream-service" ? [variable(upstreamServiceVariable)] : path.clusterServers;
  return plugin("forward", [".", ...servers], [plugin("force_tcp"), maxConcurrent]);
}
