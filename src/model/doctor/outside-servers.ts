import type { Described } from "./observed";

/** Where to look at the servers to which CoreDNS and caches forward names outside. */
export function outsideServers(described: Described | undefined): string[] {
  const { authoritativeDns, nodeLocalDns } = described?.cluster.components ?? {};
  const { upstreamNameservers, stubDomains = [] } = (authoritativeDns ?? nodeLocalDns)?.names.outside ?? {};
  const said = [
    ...(upstreamNameservers ? [`upstreamNameservers (${upstreamNameservers.join(", ")})`] : []),
    ...stubDomains.map(({ zone, servers }) => `stubDomains ${zone} (${servers.join(", ")})`),
  ];
  return [
    ...(upstreamNameservers
      ? []
      : ["cat /etc/resolv.conf  # on a node: the servers that the names outside are forwarded to"]),
    ...(said.length > 0
      ? [`# do the servers of the cluster file answer nodes and CoreDNS's pods? ${said.join("; ")}`]
      : []),
  ];
}
