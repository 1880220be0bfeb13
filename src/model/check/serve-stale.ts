import type { Component } from "../corefile/additions";
import type { Cluster } from "../cluster/cluster";
import { nodeCacheCoreDns } from "../images";
import type { ServeStale } from "../props/cache";
import { parseDuration } from "../syntax/duration";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about, type Given } from "./report";

/** What contradicts itself, or does not suit the program; ranges are checked with the durations. */
export function serveStaleRules({ props: { authoritativeDNS, nodeLocalDNS }, cluster }: Given): Problem[] {
  const engine = cluster?.queryPath?.engine ?? nodeLocalDNS?.engine;
  const ofCluster = authoritativeDNS?.cache?.serveStale;
  const ofNodes = nodeLocalDNS?.cache?.serveStale;
  return [
    ...combinationProblems("authoritativeDNS", ofCluster),
    ...combinationProblems("nodeLocalDNS", ofNodes),
    ...about(["authoritativeDNS", "cache", "serveStale", "clusterNames"]).when(
      typeof ofCluster === "object" && ofCluster.clusterNames === true,
      "has no effect: CoreDNS answers the cluster's names from memory; leave it out",
    ),
    ...(engine === "node-cache" && typeof ofNodes === "object" ? newerKeyProblems(ofNodes, cluster) : []),
  ];
}

function combinationProblems(component: Component, serveStale: string | ServeStale | undefined): Problem[] {
  if (typeof serveStale !== "object") return [];
  const { refresh, timeout, responseTTL } = serveStale;
  const at = (key: keyof ServeStale) => [component, "cache", "serveStale", key];
  return [
    ...about(at("timeout")).when(
      refresh === "immediate" && timeout !== undefined,
      "has no effect with refresh: immediate, which does not wait; leave it out, or use verify",
    ),
    ...about(at("responseTTL")).when(
      (parseDuration(responseTTL ?? "") ?? 0) % 1000 !== 0,
      `${show(responseTTL)} is not a TTL; whole seconds accepted`,
    ),
  ];
}

// Added to 1.14.7 by coredns#8070, #8378 and #8411.
function newerKeyProblems(serveStale: ServeStale, cluster: Cluster | undefined): Problem[] {
  const newer = cluster?.queryPath?.linkMadeBy === "node-cache" ? "set agentImage" : "use engine: coredns";
  return (["timeout", "responseTTL", "failureRecheck", "preferPositive"] as const).flatMap((key) =>
    about(["nodeLocalDNS", "cache", "serveStale", key]).when(
      serveStale[key] !== undefined,
      `is not supported by engine: node-cache, which contains CoreDNS ${nodeCacheCoreDns}; leave it out, or ${newer}`,
    ),
  );
}
