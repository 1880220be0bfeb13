import { inDocs } from "../docs";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { cachedNames } from "../size/cached-names";
import { type Clients, cpuFor, isCapped, mostReplicas, replicasFor } from "../size/core-dns";
import type { Size } from "../full-props/size";
import { isMore } from "../syntax/quantity";
import type { AuthoritativeDnsSettings } from "./authoritative-dns";

export function sizeNotes(
  props: ClusterDnsProps,
  size: Size,
  clients: Clients,
  authoritativeDns: AuthoritativeDnsSettings | undefined,
): string[] {
  if (!size.hasNodes) return [];
  const notes = [
    ...(authoritativeDns?.kind === "Deployment" ? ofReplicas(authoritativeDns, size, clients) : []),
    ...(authoritativeDns?.kind === "DaemonSet" && !props.authoritativeDNS?.nodePlacement
      ? tooMany("kind", size.nodes, size)
      : []),
    ...tooLittleCpu(props, cpuFor(size, clients)),
    ...tooFewNames(props, cachedNames(size)),
  ];
  return notes.map((note) => `${note}; see ${inDocs("scale")}`);
}

function ofReplicas(settings: AuthoritativeDnsSettings, size: Size, clients: Clients): string[] {
  const { nodes } = size;
  const needed = replicasFor(size, clients);
  const { key, count } = mostOf(settings, nodes);
  const without = clients === "pods" ? " without a cache on every node" : "";
  if (count < needed)
    return [`authoritativeDNS.${key}: ${count} replicas of CoreDNS, where ${nodes} nodes${without} ask for ${needed}`];
  if (count > mostReplicas) return tooMany(key, count, size);
  return isCapped(size, clients) && clients === "pods"
    ? [`${nodes} nodes${without}: ${mostReplicas} replicas of CoreDNS answer all of their pods; enable the node cache`]
    : [];
}

function tooMany(key: string, count: number, { nodes }: Size): string[] {
  return count > mostReplicas
    ? [
        `authoritativeDNS.${key}: ${count} replicas of CoreDNS for ${nodes} nodes, each of which watches all Services; keep to ${mostReplicas}`,
      ]
    : [];
}

/** How many replicas there may be with that many nodes, and the key that says so. */
function mostOf({ replicas, autoscaler }: AuthoritativeDnsSettings, nodes: number): { key: string; count: number } {
  if (!autoscaler) return { key: "replicas", count: replicas ?? 0 };
  const { mode, min, max = Infinity } = autoscaler;
  if (mode === "horizontal") return { key: "autoscaler.max", count: max };
  const key = Math.ceil(nodes / autoscaler.nodesPerReplica) > max ? "autoscaler.max" : "autoscaler.nodesPerReplica";
  return { key, count: Math.max(Math.min(Math.ceil(nodes / autoscaler.nodesPerReplica), max), min) };
}

function tooLittleCpu({ authoritativeDNS }: ClusterDnsProps, needed: string): string[] {
  const said = authoritativeDNS?.resources?.requests?.["cpu"];
  return isMore(needed, said) && authoritativeDNS?.kind !== "DaemonSet"
    ? [`authoritativeDNS.resources.requests.cpu ${said} is less than a replica needs, ${needed}`]
    : [];
}

function tooFewNames({ nodeLocalDNS }: ClusterDnsProps, needed: number): string[] {
  const said = nodeLocalDNS?.cache?.success?.capacity;
  return said !== undefined && said < needed
    ? [`nodeLocalDNS.cache.success.capacity ${said} is less than the pods of a node ask for, ${needed}`]
    : [];
}
