import { outsideNames } from "../corefile/outside-names";
import type { FullProps } from "../full-props/fill-in";
import { leavesOutNodes } from "../full-props/placement";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import { queryPath } from "../query-path/query-path";
import type { Clients } from "../size/core-dns";
import { isOver } from "./query-log";
import { resilienceOptions } from "./resilience";

export type Facts = ReturnType<typeof factsOf>;

/** What follows from a description, and several parts of a cluster go by. @param today Of `clusterOf`. */
export function factsOf(said: FullProps, today: string | undefined) {
  const { clusterDNS, clusterDomain, nodeLocalDNS, queryLog, dnstap, tenancy } = said;
  const path = queryPath(said);
  const nameservers = path?.podNameservers ?? clusterDNS;
  const logged = queryLog && !isOver(queryLog, today) ? queryLog : undefined;
  // Pods on a node that placement leaves without a cache ask CoreDNS themselves.
  const isCachedEverywhere = path?.state === "enabled" && !leavesOutNodes(nodeLocalDNS.nodePlacement);
  const clients: Clients = isCachedEverywhere ? "caches" : "pods";
  return {
    clients,
    /** The minor version of Kubernetes to rely on. */
    minorVersion: minorVersion(said.kubernetesVersion ?? "") ?? supportedMinors.oldest,
    /** Undefined if the mode has no node cache. */
    queryPath: path,
    nameservers,
    /** What determines the DNS configuration of tenants' pods. */
    podDns: tenancy && { tenancy, clusterDomain, nameservers },
    outside: outsideNames(said),
    observation: logged || dnstap ? { queryLog: logged, dnstap } : undefined,
    resilience: resilienceOptions(said),
  };
}
