import { upstreamServiceVariable, type QueryPath } from "../query-path/query-path";
import type { ClusterFacts } from "../props/cluster-facts";
import type { NodeLocalDnsOptions } from "../props/node-local-dns";
import { plugin, variable, type Argument, type Corefile, type Directive } from "./corefile";
import { bufsize, cachePlugin, forwardOutside, hostsPlugin, stubCache, stubDomains } from "./shared";

/** A name that only the cache itself answers (TXT), on each of its addresses: who answers, with which configuration. */
export const healthZone = "health.node-local-dns.internal";

/** Environment of the cache's container that its Corefile refers to. */
export const cacheVariables = { podName: "POD_NAME", configHash: "CONFIG_HASH", healthPort: "HEALTH_PORT" } as const;

/** Metrics port of the cache (nodelocaldns.yaml of Kubernetes). */
export const cacheMetricsPort = 9253;

/** Seconds a stopping cache goes on answering; a roll with two caches on the port lost nothing with it. */
export const cacheLameduckSeconds = 5;

/** The Corefile of the node cache; one for both engines, because both know the plugins that it uses. */
export function nodeLocalDnsCorefile(facts: ClusterFacts, options: NodeLocalDnsOptions, path: QueryPath): Corefile {
  const { clusterDomain = "cluster.local", hostAliases } = facts;
  // A health zone of its own block: the cluster zone's block may be busy with its upstream.
  const common = [
    plugin("errors"),
    ...(path.listenAddresses.length > 0 ? [plugin("bind", path.listenAddresses)] : []),
    plugin("prometheus", [`:${cacheMetricsPort}`]),
  ];
  const zone = (zones: readonly string[], plugins: readonly Directive[]) => ({
    zones,
    plugins: [...common, bufsize, ...plugins],
  });
  return [
    zone(
      [clusterDomain, "in-addr.arpa", "ip6.arpa"],
      [
        // Negative answers of the cluster's names are kept for 5 seconds only: Services come and go (nodelocaldns.yaml).
        cachePlugin(options.cache, { denialTTL: 5 }),
        forwardToCluster(path),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    ),
    ...stubDomains(facts).map(([stub, servers]) =>
      zone(
        [stub],
        [
          ...hostsPlugin(hostAliases, stub),
          cachePlugin(stubCache(options.cache)),
          plugin("forward", [".", ...servers], [plugin("max_concurrent", [1000])]),
          plugin("loop"),
          plugin("loadbalance"),
        ],
      ),
    ),
    zone(
      ["."],
      [
        ...hostsPlugin(hostAliases),
        cachePlugin(options.cache),
        forwardOutside(facts),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    ),
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

// Over TCP as the KEP has it: no conntrack entry that outlives an answer, and a lost packet is sent again at once.
function forwardToCluster(path: QueryPath): Directive {
  const servers =
    path.clusterServers === "upstream-service" ? [variable(upstreamServiceVariable)] : path.clusterServers;
  return plugin("forward", [".", ...servers], [plugin("force_tcp"), plugin("max_concurrent", [1000])]);
}
