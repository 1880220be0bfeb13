import { defaults } from "../defaults";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { ForwardOptions } from "../props/forward-options";
import { isDNSName } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { when } from "./report";

/** Options of servers that contradict each other, or have no effect. */
export function forwardOptionRules(props: ClusterDnsProps): Problem[] {
  const { upstreamOptions, upstreamNameservers, upstreamTLSServerName, zones = {} } = props;
  return [
    {
      options: upstreamOptions,
      path: ["upstreamOptions"],
      servers: upstreamNameservers?.length,
      isOverTLS: upstreamTLSServerName !== undefined,
      nameKey: "upstreamTLSServerName",
    },
    ...Object.entries(zones).map(([zone, { forward }]) => ({
      options: forward,
      path: ["zones", zone, "forward"],
      servers: forward?.servers?.length,
      isOverTLS: forward?.tlsServerName !== undefined,
      nameKey: "tlsServerName",
    })),
  ].flatMap(({ options, ...where }) => (options ? ofServers(options, where) : []));
}

interface Where {
  readonly path: Problem["path"];
  /** How many there are; undefined: only the node knows. */
  readonly servers: number | undefined;
  readonly isOverTLS: boolean;
  /** The key that turns TLS on. */
  readonly nameKey: string;
}

function ofServers(options: ForwardOptions, { path, servers, isOverTLS, nameKey }: Where): Problem[] {
  const { protocol, failover = [], maxFails, healthCheck, failFast, tlsCA } = options;
  const { domain } = healthCheck ?? {};
  const unchecked = "has no effect with maxFails: 0, which never counts a server as down; leave one out";
  return [
    ...when(
      isOverTLS && protocol !== undefined && protocol !== defaults.forwardOptions.protocol,
      [...path, "protocol"],
      `has no effect with ${nameKey}: TLS is over TCP; leave one out`,
    ),
    ...when(
      servers === 1 && failover.length > 0,
      [...path, "failover"],
      "has no effect with one server; name another, or leave it out",
    ),
    ...when(failover.length > new Set(failover).size, [...path, "failover"], "names an answer twice; keep one"),
    ...when(maxFails === 0 && healthCheck !== undefined, [...path, "healthCheck"], unchecked),
    ...when(maxFails === 0 && failFast === true, [...path, "failFast"], unchecked),
    ...when(
      domain !== undefined && domain !== "." && !isDNSName(domain),
      [...path, "healthCheck", "domain"],
      `${show(domain)} is not a DNS name`,
    ),
    ...when(
      tlsCA !== undefined && !isOverTLS,
      [...path, "tlsCA"],
      `is for servers that are asked over TLS; set ${nameKey}`,
    ),
    ...when(
      tlsCA !== undefined && !areCertificates(tlsCA),
      [...path, "tlsCA"],
      "holds no certificates; accepted: one or more blocks of -----BEGIN CERTIFICATE-----, and nothing else",
    ),
  ];
}

/** Nothing but certificates, whose DER begins with a sequence. */
function areCertificates(text: string): boolean {
  const block = /-----BEGIN CERTIFICATE-----\n(M[A-P][A-Za-z0-9+/\n]+={0,2})\n-----END CERTIFICATE-----\n?/y;
  let end = 0;
  for (; end < text.length; end = block.lastIndex) if (!block.test(text)) return false;
  return end > 0;
}
