import { dense } from "../syntax/sparse";
import { authoritativeMemory, type AuthoritativeDnsSettings } from "../cluster/authoritative-dns";
import { nodeCacheMemory } from "../cluster/node-local-dns";
import type { Cluster } from "../cluster/cluster";
import { defaults } from "../defaults";
import { isCapped, mostReplicas, served } from "../size/core-dns";
import { goMemoryLimit, memoryFormula, type MemoryPart } from "../size/memory";
import type { FullProps } from "../full-props/fill-in";
import type { Size } from "../full-props/size";
import { atOnce, leastRolloutSeconds, mostNodesAtOnce, rolloutSeconds, rolloutSecondsOfNode } from "../size/rollout";

export interface Derived {
  readonly what: string;
  readonly value: string | number;
  readonly because: string;
}

/** What a cluster's size decides, and by which formula; docs/scale.md has the sources. */
export function bySize(cluster: Cluster) {
  const { said, components } = cluster;
  const { size } = said;
  const { authoritativeDns, nodeLocalDns } = components;
  return {
    /** Of keys of a description, for those that nobody sets. */
    reasons: {
      ...(authoritativeDns && ofMemory("authoritativeDNS", authoritativeMemory(authoritativeDns.names, size))),
      ...(nodeLocalDns && ofMemory("nodeLocalDNS", nodeCacheMemory(nodeLocalDns.names, size))),
      ...(size.hasNodes && { ...ofReplicas(cluster, authoritativeDns), ...ofCache(size) }),
    },
    /** What has no key. */
    derived: [
      ...goLimit("authoritativeDNS", authoritativeDns),
      ...goLimit("nodeLocalDNS", nodeLocalDns),
      ...(nodeLocalDns ? rollout(said) : []),
    ],
  };
}

type Reasons = { readonly [key: string]: string };

function ofMemory(component: string, parts: readonly MemoryPart[]): Reasons {
  const { request, limit } = memoryFormula(parts);
  return { [`${component}.resources.requests.memory`]: request, [`${component}.resources.limits.memory`]: limit };
}

function ofReplicas({ said: { size }, clients }: Cluster, settings: AuthoritativeDnsSettings | undefined): Reasons {
  if (!settings || settings.kind === "DaemonSet") return {};
  const { nodes, cores } = served[clients];
  const asked = `${size.nodes} nodes / ${nodes}${clients === "caches" ? ", each with a cache" : ""}`;
  const count = isCapped(size, clients)
    ? `${asked}, at most ${mostReplicas}`
    : `${asked}, at least ${defaults.leastReplicas}`;
  const each = `what one replica serves${clients === "caches" ? " with a cache on every node" : ""}`;
  return {
    "authoritativeDNS.replicas": count,
    "authoritativeDNS.autoscaler.nodesPerReplica": `${each}: ${nodes} nodes`,
    "authoritativeDNS.autoscaler.coresPerReplica": `${each}: ${cores} cores`,
    ...(settings.autoscaler?.mode === "horizontal" && { "authoritativeDNS.autoscaler.min": count }),
    ...(isCapped(size, clients) && {
      "authoritativeDNS.autoscaler.max": count,
      "authoritativeDNS.resources.requests.cpu": `100m for ${nodes} nodes, and each of ${mostReplicas} replicas serves ${Math.ceil(size.nodes / mostReplicas)}`,
    }),
  };
}

function ofCache({ pods, nodes }: Size): Reasons {
  const { capacity } = defaults.clusterCache.success;
  return {
    "nodeLocalDNS.cache.success.capacity": `${capacity} for ${defaults.sizePerNode.pods} pods on a node, here ${Math.ceil(pods / nodes)}; at most 2 for each Service`,
  };
}

function goLimit(component: string, settings: Pick<AuthoritativeDnsSettings, "resources"> | undefined): Derived[] {
  const value = settings && goMemoryLimit(settings.resources);
  return value === undefined ? [] : [{ what: `GOMEMLIMIT of ${component}`, value, because: "0.9 of its memory limit" }];
}

function rollout({ size, gitops }: FullProps): Derived[] {
  const because = `10% of the nodes, at most ${mostNodesAtOnce}`;
  return dense([
    { what: "nodes whose cache a rollout replaces at once", value: atOnce(10, size), because },
    gitops?.flux && {
      what: "seconds that Flux waits for it",
      value: rolloutSeconds(size),
      because: `${rolloutSecondsOfNode} for each node, at least ${leastRolloutSeconds}`,
    },
  ]);
}
