import type { FullProps } from "../full-props/fill-in";
import type { HostAlias } from "../props/special-names";
import type { ForwardOptions } from "../props/forward-options";
import type { ZoneServers } from "../props/special-names";
import { parseDuration } from "../syntax/duration";
import { canonicalName, upwards } from "../syntax/names";
import { plugin, type Directive } from "./corefile";
import type { FamilyOptions } from "./families";
import { caFiles, forwardTo, maxConcurrent } from "./forward";
import type { PinnedNames } from "./pinned-names";

export interface OutsideNames {
  /** Undefined: the node's own resolvers. */
  readonly upstreamNameservers: readonly string[] | undefined;
  /**
   * The file with the node's own resolvers.
   * @default /etc/resolv.conf
   */
  readonly resolversFile?: string;
  readonly upstreamTLSServerName: string | undefined;
  readonly upstreamPolicy: FullProps["upstreamPolicy"];
  readonly upstreamOptions: ForwardOptions | undefined;
  /** Whether the description waits longer than usual for some servers, or for one that is silent before it asks the next. */
  readonly isSlow?: true;
  /** Sorted by zone. */
  readonly stubDomains: readonly StubDomain[];
  readonly hostAliases: readonly HostAlias[];
  /** Whether others say what the addresses of aliases are called. */
  readonly isOneWay?: true;
  readonly families: FamilyOptions | undefined;
  /** Undefined: none. */
  readonly pinned?: PinnedNames | undefined;
  /** The version of CoreDNS that asks; undefined: one that has every option. */
  readonly version: string | undefined;
}

/** A zone that other servers answer. */
export interface StubDomain extends ZoneServers {
  /** As in DNS: lower case, without a dot at its end. */
  readonly zone: string;
}

/** For how long CoreDNS waits for a server (plugin/forward `readTimeout`), in milliseconds. */
const usualWaitMs = 2000;

/** An answer over TCP stays in memory until it is read, without a timeout; `max_concurrent` counts it until then. */
export const maxAnswersOverTcp = 32;

type OutsideProps = Pick<
  FullProps,
  | "upstreamNameservers"
  | "upstreamTLSServerName"
  | "upstreamPolicy"
  | "upstreamOptions"
  | "stubDomains"
  | "hostAliases"
  | "zones"
  | "filterAAAA"
  | "dns64"
>;

export function outsideNames({ stubDomains, zones, filterAAAA, dns64, ...said }: OutsideProps): OutsideNames {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy, upstreamOptions, hostAliases } = said;
  const asked = [{ ...upstreamOptions, policy: upstreamPolicy }, ...Object.values(zones).map(({ forward }) => forward)];
  const isSlow = asked.some(
    (each) => each?.policy === "sequential" || (parseDuration(each?.timeout ?? "") ?? 0) > usualWaitMs,
  );
  return {
    upstreamNameservers,
    upstreamTLSServerName,
    upstreamPolicy,
    upstreamOptions,
    ...(isSlow && { isSlow }),
    stubDomains: [
      ...Object.entries(stubDomains).map(([zone, servers]) => ({ zone: canonicalName(zone), servers })),
      ...Object.entries(zones).flatMap(([zone, { forward }]) =>
        forward ? [{ zone: canonicalName(zone), ...forward }] : [],
      ),
    ].sort((a, b) => (a.zone < b.zone ? -1 : 1)),
    hostAliases,
    families: filterAAAA || dns64 !== undefined ? { filterAAAA, ...(dns64 && { dns64 }) } : undefined,
    version: undefined,
  };
}

export function forwardOutside(names: OutsideNames, limit: Directive = maxConcurrent, zone = "."): Directive {
  const { upstreamNameservers, upstreamTLSServerName, upstreamPolicy: policy, upstreamOptions, resolversFile } = names;
  const servers = upstreamNameservers ?? [resolversFile ?? "/etc/resolv.conf"];
  const tls = upstreamTLSServerName === undefined ? {} : { tlsServerName: upstreamTLSServerName };
  return forwardTo({ ...upstreamOptions, zone, servers, policy, ...tls }, limit, names.version);
}

/** What a zone's own names are not among: asked at the servers of the stub domain that has the zone, if any. */
export function forwardAround(names: OutsideNames, limit: Directive, zone: string): Directive {
  const stubs = new Map(names.stubDomains.map((stub) => [stub.zone, stub]));
  const stub = stubs.get(upwards(zone).find((each) => stubs.has(each)) ?? "");
  return stub ? forwardTo({ ...stub, zone: "." }, limit, names.version) : forwardOutside(names, limit);
}

/**
 * The `hosts` plugin for the aliases, if any. It reads `/dev/null` because without a file it would also read
 * /etc/hosts: on the host's network that gives every pod the node's names, at addresses such as 127.0.1.1. Without a
 * zone it would forget names outside those of its block, and with them what their addresses are called.
 */
export function hostsPlugin({ hostAliases, isOneWay }: OutsideNames): Directive[] {
  const entries = hostAliases.map(({ ip, hostnames }) => plugin(ip, hostnames));
  const options = [...entries, ...(isOneWay ? [plugin("no_reverse")] : []), plugin("fallthrough")];
  return entries.length > 0 ? [plugin("hosts", ["/dev/null", "."], options)] : [];
}

export function outsideFiles({ upstreamOptions, stubDomains }: OutsideNames): { readonly [file: string]: string } {
  return caFiles([upstreamOptions, ...stubDomains]);
}
