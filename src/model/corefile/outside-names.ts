import { defaults, withDefaults } from "../defaults";
import type { ClusterDnsProps, HostAlias } from "../props/cluster-dns";
import { canonicalName, zonesOf } from "../syntax/names";
import { plugin, type Directive } from "./corefile";

/** How names outside the cluster domain are answered. */
export interface OutsideNames {
  /** Undefined: the resolvers of the node. */
  readonly upstreamNameservers: readonly string[] | undefined;
  readonly upstreamTLSServerName: string | undefined;
  readonly upstreamPolicy: NonNullable<ClusterDnsProps["upstreamPolicy"]>;
  /** In the order of their zones. */
  readonly stubDomains: readonly StubDomain[];
  readonly hostAliases: readonly HostAlias[];
}

export interface StubDomain {
  readonly zone: string;
  readonly servers: readonly string[];
  /** Those in its zone. */
  readonly hostAliases: readonly HostAlias[];
}

type OutsideProps = Pick<
  ClusterDnsProps,
  "upstreamNameservers" | "upstreamTLSServerName" | "upstreamPolicy" | "stubDomains" | "hostAliases"
>;

export function outsideNames(props: OutsideProps): OutsideNames {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy, stubDomains, hostAliases } = withDefaults(
    props,
    defaults.cluster,
  );
  const aliases = aliasesOf(Object.keys(stubDomains), hostAliases);
  return {
    upstreamNameservers,
    upstreamTLSServerName,
    upstreamPolicy,
    stubDomains: Object.entries(stubDomains)
      .map(([zone, servers]) => ({ zone, servers, hostAliases: aliases.get(canonicalName(zone)) ?? [] }))
      .sort((a, b) => (a.zone < b.zone ? -1 : 1)),
    hostAliases,
  };
}

/** The aliases in each zone: looked up by name, because to compare each with each takes a minute where there are thousands of both. */
function aliasesOf(zones: readonly string[], hostAliases: readonly HostAlias[]): Map<string, HostAlias[]> {
  const aliases = new Map(zones.map((zone) => [canonicalName(zone), [] as HostAlias[]]));
  for (const { ip, hostnames = [] } of hostAliases) {
    const namesIn = new Map<string, string[]>();
    for (const name of hostnames) {
      for (const zone of zonesOf(name)) {
        if (!aliases.has(zone)) continue;
        const names = namesIn.get(zone);
        if (names) names.push(name);
        else namesIn.set(zone, [name]);
      }
    }
    for (const [zone, names] of namesIn) aliases.get(zone)?.push({ ip, hostnames: names });
  }
  return aliases;
}

/** Asks the upstreams for every name. */
export function forwardOutside(names: OutsideNames): Directive {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy } = names;
  const scheme = upstreamTLSServerName ? "tls://" : "";
  const servers = upstreamNameservers?.map((server) => scheme + server) ?? ["/etc/resolv.conf"];
  return plugin(
    "forward",
    [".", ...servers],
    [
      maxConcurrent,
      ...(upstreamTLSServerName ? [plugin("tls_servername", [upstreamTLSServerName])] : []),
      ...(upstreamPolicy === defaults.cluster.upstreamPolicy ? [] : [plugin("policy", [upstreamPolicy])]),
    ],
  );
}

/** Asks the servers of a stub domain. */
export function forwardTo({ servers }: StubDomain): Directive {
  return plugin("forward", [".", ...servers], [maxConcurrent]);
}

/** Above it queries are refused instead of piling up (coredns.yaml.base). */
export const maxConcurrent = plugin("max_concurrent", [1000]);

/**
 * The `hosts` plugin for aliases; none where there are none. It reads `/dev/null` because without a file it would read
 * /etc/hosts as well: on the host's network that gives every pod the names of the node, at addresses such as 127.0.1.1.
 */
export function hostsPlugin(hostAliases: readonly HostAlias[]): Directive[] {
  const entries = hostAliases.map(({ ip, hostnames }) => plugin(ip, hostnames));
  return entries.length > 0 ? [plugin("hosts", ["/dev/null"], [...entries, plugin("fallthrough")])] : [];
}
