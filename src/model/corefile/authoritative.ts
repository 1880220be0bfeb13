import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { FederationOptions } from "../props/federation";
import type { Tenancy } from "../tenancy/membership";
import { cachePlugin, type CacheSettings } from "./cache";
import { bufsize, plugin, type Corefile } from "./corefile";
import { federationBlocks } from "./federation";
import { isolatedBlocks } from "./hard-isolation";
import { forwardOutside, forwardTo, hostsPlugin, type OutsideNames } from "./outside-names";
import { tenantBlocks } from "./tenant-names";

/** What authoritative DNS answers. */
export interface AuthoritativeNames {
  readonly domain: string;
  readonly pods: NonNullable<AuthoritativeDnsOptions["pods"]>;
  /** Of the cluster's names, in seconds. */
  readonly ttl: number;
  readonly cache: CacheSettings;
  readonly outside: OutsideNames;
  readonly tenancy: Tenancy | undefined;
  readonly federation: FederationOptions | undefined;
}

/**
 * Seconds for which a stopping pod goes on answering. kube-proxy sends it no new flow after about one second. But a query from a source
 * port that asked within the last 30 seconds (`nf_conntrack_udp_timeout`) still goes to it until kube-proxy forgets that flow: not while
 * the pod is terminating, but once it is not ready, after three readiness probes, 3 seconds apart. Another second each for the
 * kubelet's status and kube-proxy's `minSyncPeriod`; the rest is for a loaded node. With 10 seconds, up to 6 of 24,000 queries were
 * lost in a roll.
 */
export const authoritativeLameduckSeconds = 15;

/** The Corefile of authoritative DNS: coredns.yaml.base of Kubernetes with kubeadm's cache. */
export function authoritativeCorefile(names: AuthoritativeNames): Corefile {
  const { domain, pods, ttl, cache, outside, tenancy, federation } = names;
  const isolated = tenancy?.isolation === "hard" ? isolatedBlocks(tenancy, domain, ttl) : undefined;
  const kubernetes = plugin(
    "kubernetes",
    [domain, "in-addr.arpa", "ip6.arpa"],
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
        ...hostsPlugin(outside.hostAliases),
        ...(isolated ? [] : [kubernetes]),
        plugin("prometheus", [":9153"]),
        forwardOutside(outside),
        cachePlugin(cache, domain),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    },
    ...outside.stubDomains.map((stub) => ({
      zones: [stub.zone],
      plugins: [
        plugin("errors"),
        bufsize,
        plugin("prometheus", [":9153"]),
        ...hostsPlugin(stub.hostAliases),
        forwardTo(stub),
        cachePlugin(cache),
        plugin("loop"),
        plugin("loadbalance"),
      ],
    })),
    ...(isolated ?? (tenancy ? tenantBlocks(tenancy, domain, ttl) : [])),
    ...(federation ? federationBlocks(federation, domain, ttl) : []),
  ];
}
