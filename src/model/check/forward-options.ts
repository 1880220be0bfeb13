import { defaults } from "../defaults";
import type { ForwardOptions } from "../props/forward-options";
import type { Problem } from "../syntax/problem";
import { about, type Given } from "./report";

export function forwardOptionRules({ said }: Given): Problem[] {
  const { upstreamOptions, upstreamNameservers, upstreamTLSServerName, zones } = said;
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
  const unchecked = "has no effect with maxFails: 0, which never counts a server as down; leave one out";
  return [
    ...about([...path, "protocol"]).when(
      isOverTLS && protocol !== defaults.forwardOptions.protocol,
      `has no effect with ${nameKey}: TLS is over TCP; leave one out`,
    ),
    ...about([...path, "failover"]).when(
      servers === 1 && failover.length > 0,
      "has no effect with one server; name another, or leave it out",
    ),
    ...about([...path, "failover"]).when(failover.length > new Set(failover).size, "names an answer twice; keep one"),
    ...about([...path, "healthCheck"]).when(maxFails === 0 && healthCheck !== undefined, unchecked),
    ...about([...path, "failFast"]).when(maxFails === 0 && failFast === true, unchecked),
    ...about([...path, "tlsCA"]).when(
      tlsCA !== undefined && !isOverTLS,
      `is for servers that are asked over TLS; set ${nameKey}`,
    ),
  ];
}
