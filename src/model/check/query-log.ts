import { addressRange, parseServer } from "../syntax/addresses";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about, type Given } from "./report";

export function queryLogRules({ props: { authoritativeDNS, queryLog, dnstap } }: Given): Problem[] {
  const { classes = [] } = queryLog ?? {};
  const server = collectorIn(dnstap?.endpoint ?? "");
  const isOwn = server && ["loopback", "unspecified"].includes(addressRange(server.address));
  return [
    ...about(["queryLog", "classes"]).when(new Set(classes).size < classes.length, "names a class twice; keep one"),
    ...about(["dnstap", "endpoint"]).when(
      authoritativeDNS?.kind !== "Existing" && isOwn === true,
      `${show(dnstap?.endpoint)} is an address where a pod of CoreDNS reaches only itself; name another machine's`,
    ),
  ];
}

export function collectorIn(endpoint: string): ReturnType<typeof parseServer> {
  const [, server = ""] = /^(?:tcp|tls):\/\/(.+)$/.exec(endpoint) ?? [];
  return parseServer(server);
}
