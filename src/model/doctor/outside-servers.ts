import { dense } from "../syntax/sparse";
import type { Described } from "./described";
import { onNode, type Suggestion } from "./suggestions";

/** Where to look at the servers to which CoreDNS and caches forward names outside. */
export function outsideServers(described: Described | undefined): Suggestion[] {
  const { authoritativeDns, nodeLocalDns } = described?.cluster.components ?? {};
  const { upstreamNameservers, stubDomains = [] } = (authoritativeDns ?? nodeLocalDns)?.names.outside ?? {};
  const said = dense([
    upstreamNameservers && `upstreamNameservers (${upstreamNameservers.join(", ")})`,
    stubDomains.map(({ zone, servers }) => `stubDomains ${zone} (${servers.join(", ")})`),
  ]);
  const onNodes = onNode("on a node: the servers that the names outside are forwarded to")`cat /etc/resolv.conf`;
  const ask = `do the servers of the cluster file answer nodes and CoreDNS's pods? ${said.join("; ")}`;
  return dense([!upstreamNameservers && onNodes, said.length > 0 && ask]);
}
