import { defaults, withDefaults } from "../defaults";
import type { ClusterDnsProps, HostAlias } from "../props/cluster-dns";
import { plugin, type Directive } from "./corefile";

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
}

export interface StubDomain {
  readonly zone: string;
  readonly servers: readonly string[];
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
  "upstreamNameservers" | "upstreamTLSServerName" | "upstreamPolicy" | "stubDomains" | "hostAliases"
>;

export function outsideNames(props: OutsideProps): OutsideNames {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy, stubDomains, hostAliases } = withDefaults(
    props,
    defaults.cluster,
  );
  return {
    upstreamNameservers,
    upstreamTLSServerName,
    upstreamPolicy,
    stubDomains: Object.entries(stubDomains)
      .map(([zone, servers]) => ({ zone, servers }))
      .sort((a, b) => (a.zone < b.zone ? -1 : 1)),
    hostAliases,
  };
}

/** Asks the upstreams for every name. */
export function forwardOutside(names: OutsideNames, limit: Directive = maxConcurrent): Directive {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy } = names;
  const scheme = upstreamTLSServerName ? "tls://" : "";
  const servers = upstreamNameservers?.map((server) => scheme + server) ?? [names.resolversFile ?? "/etc/resolv.conf"];
  return plugin(
    "forward",
    [".", ...servers],
    [
      limit,
      ...(upstreamTLSServerName ? [plugin("tls_servername", [upstreamTLSServerName])] : []),
      ...(upstreamPolicy === defaults.cluster.upstreamPolicy ? [] : [plugin("policy", [upstreamPolicy])]),
    ],
  );
}

/** Asks the servers of each stub domain for its names; a nested domain comes before the one that contains it. */
export function forwardToStubs({ stubDomains }: OutsideNames, limit: Directive): Directive[] {
  const labels = ({ zone }: StubDomain) => zone.split(".").length;
  return stubDomains
    .toSorted((a, b) => labels(b) - labels(a))
    .map(({ zone, servers }) => plugin("forward", [zone, ...servers], [limit]));
}

/**
 * The `hosts` plugin for the aliases, if any. It reads `/dev/null` because without a file it would also read
 * /etc/hosts: on the host's network that gives every pod the node's names, at addresses such as 127.0.1.1.
 */
export function hostsPlugin({ hostAliases }: OutsideNames): Directive[] {
  const entries = hostAliases.map(({ ip, hostnames }) => plugin(ip, hostnames));
  return entries.length > 0 ? [plugin("hosts", ["/dev/null"], [...entries, plugin("fallthrough")])] : [];
}
