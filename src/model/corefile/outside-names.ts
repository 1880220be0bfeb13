import { defaults, withDefaults } from "../defaults";
import type { ClusterDnsProps, HostAlias } from "../props/cluster-dns";
import type { ZoneServers } from "../props/special-names";
import { plugin, type Argument, type Directive } from "./corefile";

/** How names outside the cluster domain are answered. */
export interface OutsideNames {
  /** Undefined: the node's own resolvers. */
  readonly upstreamNameservers: readonly string[] | undefined;
  /**
   * The file with the node's own resolvers.
   * @default /etc/resolv.conf
   */
  readonly resolversFile?: string;
  readonly upstreamTLSServerName: string | undefined;
  readonly upstreamPolicy: NonNullable<ClusterDnsProps["upstreamPolicy"]>;
  /** Sorted by zone. */
  readonly stubDomains: readonly StubDomain[];
  readonly hostAliases: readonly HostAlias[];
  /** Whether the program that asks can end a connection that is busy: CoreDNS from 1.14.3 on. */
  readonly endsConnections: boolean;
}

/** A zone that other servers answer. */
export interface StubDomain extends ZoneServers {
  readonly zone: string;
}

/** Beyond this, queries are refused instead of piling up (coredns.yaml.base). */
export const maxConcurrent = plugin("max_concurrent", [1000]);

/**
 * An answer over TCP may have 64 kB, and stays in memory, parsed, until the client has read it. CoreDNS has no timeout for
 * that (the `write` of its `timeouts` has no effect on plain TCP), but `max_concurrent` counts the query until then.
 */
export const maxAnswersOverTcp = 32;

type OutsideProps = Pick<
  ClusterDnsProps,
  "upstreamNameservers" | "upstreamTLSServerName" | "upstreamPolicy" | "stubDomains" | "hostAliases" | "zones"
>;

export function outsideNames(props: OutsideProps): OutsideNames {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy, stubDomains, hostAliases, zones } = withDefaults(
    props,
    defaults.cluster,
  );
  return {
    upstreamNameservers,
    upstreamTLSServerName,
    upstreamPolicy,
    stubDomains: [
      ...Object.entries(stubDomains).map(([zone, servers]) => ({ zone, servers })),
      ...Object.entries(zones).flatMap(([zone, { forward }]) => (forward ? [{ zone, ...forward }] : [])),
    ].sort((a, b) => (a.zone < b.zone ? -1 : 1)),
    hostAliases,
    endsConnections: true,
  };
}

/** Asks the upstreams for every name, or those of a zone. */
export function forwardOutside(names: OutsideNames, limit: Directive = maxConcurrent, zone = "."): Directive {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy: policy, resolversFile } = names;
  const servers = upstreamNameservers ?? [resolversFile ?? "/etc/resolv.conf"];
  const tls = upstreamTLSServerName === undefined ? {} : { tlsServerName: upstreamTLSServerName };
  return forwardTo({ zone, servers, policy, ...tls }, limit, names);
}

/** Servers, and how they are asked. */
interface AskedServers extends Omit<StubDomain, "servers"> {
  readonly servers: readonly Argument[];
}

/**
 * Within this time, pods of the cluster DNS that are new get their share: a connection that is in use has no other end
 * (coredns#7903), and stays at its pod. Not less than `expire`, whose default is 10s.
 */
const maxAge = plugin("max_age", ["15s"]);

/** The first version of CoreDNS that has it. */
export const maxAgeSince = "1.14.3";

/** Asks servers for the names of a zone. */
export function forwardTo(
  asked: AskedServers,
  limit: Directive,
  { endsConnections }: Pick<OutsideNames, "endsConnections">,
): Directive {
  const { zone, servers, tlsServerName, policy, forceTCP, failover = [] } = withDefaults(asked, defaults.zoneServers);
  const overTLS = (server: Argument) => `tls://${String(server)}`;
  return plugin(
    "forward",
    [zone, ...(tlsServerName === undefined ? servers : servers.map(overTLS))],
    [
      ...(forceTCP ? [plugin("force_tcp")] : []),
      limit,
      ...(endsConnections ? [maxAge] : []),
      ...(tlsServerName === undefined ? [] : [plugin("tls_servername", [tlsServerName])]),
      ...(policy === defaults.zoneServers.policy ? [] : [plugin("policy", [policy])]),
      ...(failover.length > 0 ? [plugin("failover", failover)] : []),
    ],
  );
}

/**
 * The `hosts` plugin for the aliases, if any. It reads `/dev/null` because without a file it would also read
 * /etc/hosts: on the host's network that gives every pod the node's names, at addresses such as 127.0.1.1.
 */
export function hostsPlugin({ hostAliases }: OutsideNames): Directive[] {
  const entries = hostAliases.map(({ ip, hostnames }) => plugin(ip, hostnames));
  return entries.length > 0 ? [plugin("hosts", ["/dev/null"], [...entries, plugin("fallthrough")])] : [];
}
