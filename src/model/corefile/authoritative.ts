import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { ClusterFacts } from "../props/cluster-facts";
import { plugin, type Corefile, type Directive } from "./corefile";
import { federationBlocks } from "./federation";
import { isolatedBlocks } from "./hard-isolation";
import { bufsize, cachePlugin, forwardOutside, hostsPlugin, stubDomains } from "./shared";
import { tenantBlocks } from "./tenant-names";

/**
 * Seconds a stopping pod goes on answering. kube-proxy sends it no new flow after about one, but a query from a source port that
 * spoke to it within the last 30 (`nf_conntrack_udp_timeout`) still goes to it, until kube-proxy forgets these flows: not while
 * the pod is terminating, but when it is not ready, which takes three readiness probes of 3 seconds. Another second each for the kubelet's
 * status and kube-proxy's `minSyncPeriod`; the rest is for a loaded node. With 10 seconds, up to 6 of 24,000 were lost in a roll.
 */
export const authoritativeLameduckSeconds = 15;

/** The Corefile of authoritative DNS: coredns.yaml.base of Kubernetes with kubeadm's cache. */
export function authoritativeCorefile(facts: ClusterFacts, options: AuthoritativeDnsOptions): Corefile {
  const { clusterDomain = "cluster.local", hostAliases, tenancy } = facts;
  const { pods = "insecure", ttl = 30 } = options;
  const isolated = tenancy?.isolation === "hard" ? isolatedBlocks(facts, tenancy, options) : undefined;
  const kubernetes = plugin(
    "kubernetes",
    [clusterDomain, "in-addr.arpa", "ip6.arpa"],
    [plugin("pods", [pods]), plugin("fallthrough", ["in-addr.arpa", "ip6.arpa"]), plugin("ttl", [ttl])],
  );
  return [
    {
      zones: ["."],
      plugins: [
        plugin("errors"),
        plugin("health", [], [plugin("lameduck", [`${authoritativeLameduckSeconds}s`])]),
        plugin("ready"),
        bufsize,
        ...hostsPlugin(hostAliases),
        ...(isolated ? [] : [kubernetes]),
        plugin("prometheus", [":9153"]),
        forwardOutside(facts),
        cachePlugin(options.cache, { disableFor: clusterDomain }),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    },
    ...stubDomains(facts).map(([zone, servers]) => ({
      zones: [zone],
      plugins: [
        plugin("errors"),
        bufsize,
        plugin("prometheus", [":9153"]),
        ...hostsPlugin(hostAliases, zone),
        forwardTo(servers),
        cachePlugin(options.cache),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    })),
    ...(isolated ?? tenantBlocks(facts, options)),
    ...federationBlocks(facts, options),
  ];
}

function forwardTo(servers: readonly string[]): Directive {
  return plugin("forward", [".", ...servers], [plugin("max_concurrent", [1000])]);
}
