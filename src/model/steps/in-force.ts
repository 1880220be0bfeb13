import type { AgentConfig } from "../agent-config/agent-config";
import type { Cluster } from "../cluster/cluster";
import type { Controller } from "../gitops/applier";
import { applierOf } from "../gitops/objects";

/** What running pods, nodes and controllers go by until they are told anew: all that `steps` compares. */
export interface InForce {
  /** The cluster's domain; undefined if no server of ours answers for it or asks for it. */
  readonly domain: string | undefined;
  /** Zones that our servers have others answer. */
  readonly stubZones: readonly string[];
  /** Of our Service `kube-dns`; empty without it. */
  readonly dnsAddresses: readonly string[];
  /** Undefined: the cluster's own. */
  readonly coreDns: "Deployment" | "DaemonSet" | undefined;
  /** What the agent's programs on the nodes are told; undefined without them. */
  readonly agent: Pick<AgentConfig, "state" | "interception" | "linkLocalIPs" | "packetFilter"> | undefined;
  /** The addresses that upstream's node-cache puts on nodes by itself; empty without it. */
  readonly nodeCacheAddresses: readonly string[];
  readonly nodeResolver: "enabled" | "removed" | undefined;
  /** The controller that applies the objects; undefined if it is not told to. */
  readonly controller: Controller | undefined;
}

/** Once a cluster is described no more. */
export const nothingInForce: InForce = {
  domain: undefined,
  stubZones: [],
  dnsAddresses: [],
  coreDns: undefined,
  agent: undefined,
  nodeCacheAddresses: [],
  nodeResolver: undefined,
  controller: undefined,
};

export function inForce({ said, queryPath, components }: Cluster): InForce {
  const { authoritativeDns, nodeLocalDns, watchdog, cleanup, nodeResolver } = components;
  const names = authoritativeDns?.names ?? nodeLocalDns?.names;
  const isNodeCache = nodeLocalDns && queryPath?.linkMadeBy === "node-cache";
  return {
    domain: names?.domain,
    stubZones: names?.outside.stubDomains.map(({ zone }) => zone) ?? [],
    dnsAddresses: authoritativeDns ? said.clusterDNS : [],
    coreDns: authoritativeDns?.kind,
    agent: (nodeLocalDns?.nodeSetup ?? watchdog ?? cleanup)?.config,
    nodeCacheAddresses: isNodeCache ? queryPath.listenAddresses : [],
    nodeResolver: nodeResolver?.state,
    controller: applierOf(said.gitops).controller,
  };
}
