import type { Cluster } from "../cluster/cluster";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { addressRange, parseServer } from "../syntax/addresses";
import { isDNSName } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { when } from "./report";

/** Who else learns of queries. */
export function queryLogRules(
  { authoritativeDNS, queryLog, dnstap, nodeLocalDNS }: ClusterDnsProps,
  cluster: Cluster | undefined,
): Problem[] {
  const { zones = [], classes = [], until } = queryLog ?? {};
  const engine = cluster?.queryPath?.engine ?? nodeLocalDNS?.engine;
  const server = serverIn(dnstap?.endpoint ?? "");
  return [
    ...zones.flatMap((zone, i) =>
      when(!isDNSName(zone), ["queryLog", "zones", i], `${show(zone)} is not a zone; accepted: corp.example`),
    ),
    ...when(new Set(classes).size < classes.length, ["queryLog", "classes"], "names a class twice; keep one"),
    ...when(
      until !== undefined && !isDay(until),
      ["queryLog", "until"],
      `${show(until)} is not a day; accepted: 2026-12-24`,
    ),
    ...(dnstap === undefined
      ? []
      : [
          ...when(
            dnstap.endpoint !== undefined && server?.port === undefined,
            ["dnstap", "endpoint"],
            `${show(dnstap.endpoint)} is not an endpoint; accepted: tcp://IP:PORT or tls://IP:PORT (a name would need DNS first)`,
          ),
          ...when(
            authoritativeDNS?.kind !== "Existing" && server !== undefined && isOwn(server.address),
            ["dnstap", "endpoint"],
            `${show(dnstap.endpoint)} is an address where a pod of CoreDNS reaches only itself; name another machine's`,
          ),
          ...when(
            engine === "node-cache",
            ["dnstap"],
            "is not in k8s-dns-node-cache; set agentImage and engine: coredns, or leave it out",
          ),
        ]),
  ];
}

function serverIn(endpoint: string): ReturnType<typeof parseServer> {
  const [, server = ""] = /^(?:tcp|tls):\/\/(.+)$/.exec(endpoint) ?? [];
  return parseServer(server);
}

function isOwn(address: string): boolean {
  return ["loopback", "unspecified"].includes(addressRange(address));
}

/** Whether there is such a day. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
