import type { CacheClass, CacheOptions } from "../props/cache";
import type { ClusterFacts, HostAlias } from "../props/cluster-facts";
import { plugin, type Directive } from "./corefile";

// Directives that authoritative DNS and the node cache have in common.

/** Go runtime and CoreDNS default of both classes (coredns/plugin/cache). */
export const defaultCacheCapacity = 9984;

/** Seconds; coredns.yaml.base and nodelocaldns.yaml of Kubernetes both cache for 30. */
export const defaultCacheTTL = 30;

/** The largest answer over UDP that passes every path unfragmented (DNS flag day 2020). */
export const bufsize = plugin("bufsize", [1232]);

/** Entries of each class that the node cache keeps for a stub domain: they are many on some clusters, and busy on few. */
const stubCacheCapacity = 1024;

/** The node cache's options for a stub domain. */
export function stubCache({ success, denial, ...rest }: CacheOptions = {}): CacheOptions {
  return {
    ...rest,
    success: { ...success, capacity: stubCacheCapacity },
    denial: { ...denial, capacity: stubCacheCapacity },
  };
}

export function cachePlugin(
  options: CacheOptions = {},
  defaults: { denialTTL?: number; disableFor?: string } = {},
): Directive {
  const { prefetch, serveStale } = options;
  return plugin(
    "cache",
    [],
    [
      cacheClass("success", options.success, defaultCacheTTL),
      cacheClass("denial", options.denial, defaults.denialTTL ?? defaultCacheTTL),
      ...(prefetch
        ? [plugin("prefetch", [prefetch.amount, prefetch.duration ?? "1m", `${prefetch.percentage ?? 10}%`])]
        : []),
      ...(serveStale ? [plugin("serve_stale", [serveStale])] : []),
      ...(defaults.disableFor
        ? [plugin("disable", ["success", defaults.disableFor]), plugin("disable", ["denial", defaults.disableFor])]
        : []),
    ],
  );
}

function cacheClass(name: "success" | "denial", options: CacheClass = {}, defaultTTL: number): Directive {
  return plugin(name, [options.capacity ?? defaultCacheCapacity, options.ttl ?? defaultTTL]);
}

/** Where names outside the cluster are asked: the node's resolvers or the configured servers. */
export function forwardOutside(facts: ClusterFacts): Directive {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy } = facts;
  const scheme = upstreamTLSServerName ? "tls://" : "";
  const servers = upstreamNameservers?.map((server) => scheme + server) ?? ["/etc/resolv.conf"];
  return plugin(
    "forward",
    [".", ...servers],
    [
      // Above it queries are refused instead of piling up (coredns.yaml.base).
      plugin("max_concurrent", [1000]),
      ...(upstreamTLSServerName ? [plugin("tls_servername", [upstreamTLSServerName])] : []),
      ...(upstreamPolicy ? [plugin("policy", [upstreamPolicy])] : []),
    ],
  );
}

/**
 * The `hosts` plugin for the aliases that lie in `zone`; none where none does. Without a file it would read /etc/hosts as well,
 * on the host's network the node's: names of the node, at addresses such as 127.0.1.1, for every pod.
 */
export function hostsPlugin(aliases: readonly HostAlias[] = [], zone = "."): Directive[] {
  const entries = aliases
    .map(({ ip, hostnames }) =>
      plugin(
        ip,
        hostnames.filter((name) => inZone(name, zone)),
      ),
    )
    .filter((entry) => entry.args.length > 0);
  return entries.length > 0 ? [plugin("hosts", ["/dev/null"], [...entries, plugin("fallthrough")])] : [];
}

export function inZone(name: string, zone: string): boolean {
  const canonical = (text: string) => text.toLowerCase().replace(/\.$/, "");
  return zone === "." || `.${canonical(name)}`.endsWith(`.${canonical(zone)}`);
}

/** Stub domains in a stable order: the zone and its servers. */
export function stubDomains(facts: ClusterFacts): [zone: string, servers: readonly string[]][] {
  return Object.entries(facts.stubDomains ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
