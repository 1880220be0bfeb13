import type { OutsideNames } from "../corefile/outside-names";
import { parseServer } from "../syntax/addresses";
import { some } from "../syntax/some";
import { dense } from "../syntax/sparse";
import type { Described } from "./described";
import { onNode, type Suggestion } from "./suggestions";

/** Which names each server is asked for, where the cluster file says it. */
export function zonesAsked(servers: readonly string[], described: Described | undefined): string[] {
  return [...new Set(servers)].flatMap((server) => {
    const isThis = (each: string) => addressAndPort(each) === addressAndPort(server);
    const zones = namesOutside(described)?.stubDomains.filter((each) => each.servers.some(isThis)) ?? [];
    return zones.length > 0 ? `${server} is asked for ${some(zones.map(({ zone }) => zone))}` : [];
  });
}

/** Of the servers that are asked, those that take each other's place: of each stub domain, and of all else. */
export function alternatives(servers: readonly string[], described: Described | undefined): string[][] {
  const stubs = (namesOutside(described)?.stubDomains ?? []).map((each) => new Set(each.servers.map(addressAndPort)));
  const isOf = (stub: ReadonlySet<string>) => (server: string) => stub.has(addressAndPort(server));
  return [
    ...stubs.map((stub) => servers.filter(isOf(stub))),
    servers.filter((server) => !stubs.some((stub) => isOf(stub)(server))),
  ];
}

function addressAndPort(server: string): string {
  const { address, port = 53 } = parseServer(server) ?? { address: server };
  return `${address} ${port}`;
}

function namesOutside(described: Described | undefined): OutsideNames | undefined {
  const { authoritativeDns, nodeLocalDns } = described?.cluster.components ?? {};
  return (authoritativeDns ?? nodeLocalDns)?.names.outside;
}

/** Where to look at the servers to which CoreDNS and caches forward names outside. */
export function outsideServers(described: Described | undefined): Suggestion[] {
  const { upstreamNameservers, stubDomains = [] } = namesOutside(described) ?? {};
  const said = dense([
    upstreamNameservers && `upstreamNameservers (${upstreamNameservers.join(", ")})`,
    stubDomains.map(({ zone, servers }) => `stubDomains ${zone} (${servers.join(", ")})`),
  ]);
  const onNodes = onNode("on a node: the servers that the names outside are forwarded to")`cat /etc/resolv.conf`;
  const ask = `do the servers of the cluster file answer nodes and CoreDNS's pods? ${said.join("; ")}`;
  return dense([!upstreamNameservers && onNodes, said.length > 0 && ask]);
}
