import { outsideNames, type OutsideNames } from "../corefile/outside-names";
import type { Observation } from "../corefile/observed";
import type { FullProps } from "../full-props/fill-in";
import { leavesOutNodes } from "../full-props/placement";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import type { ResilienceOptions } from "../props/resilience";
import { queryPath, type QueryPath } from "../query-path/query-path";
import type { Clients } from "../size/core-dns";
import type { PodDnsRules } from "../tenancy/pod-dns-config";
import { isOver } from "./query-log";
import { resilienceOptions } from "./resilience";

/** What follows from a description, and several parts of a cluster go by. */
export interface Facts {
  /** Who asks the cluster DNS. */
  readonly clients: Clients;
  /** The minor version of Kubernetes to rely on. */
  readonly minorVersion: number;
  /** Undefined if the mode has no node cache. */
  readonly queryPath: QueryPath | undefined;
  /** The nameservers of pods. */
  readonly nameservers: readonly string[];
  /** What determines the DNS configuration of tenants' pods. */
  readonly podDns: PodDnsRules | undefined;
  readonly outside: OutsideNames;
  readonly observation: Observation | undefined;
  readonly resilience: Required<ResilienceOptions> | undefined;
}

/** @param today Of `clusterOf`. */
export function factsOf(said: FullProps, today: string | undefined): Facts {
  const { clusterDNS, clusterDomain, nodeLocalDNS, queryLog, dnstap, tenancy } = said;
  const path = queryPath(said);
  const nameservers = path?.podNameservers ?? clusterDNS;
  const logged = queryLog && !isOver(queryLog, today) ? queryLog : undefined;
  // Pods on a node that placement leaves without a cache ask CoreDNS themselves.
  const isCachedEverywhere = path?.state === "enabled" && !leavesOutNodes(nodeLocalDNS.nodePlacement);
  return {
    clients: isCachedEverywhere ? "caches" : "pods",
    minorVersion: minorVersion(said.kubernetesVersion ?? "") ?? supportedMinors.oldest,
    queryPath: path,
    nameservers,
    podDns: tenancy && { tenancy, clusterDomain, nameservers },
    outside: outsideNames(said),
    observation: logged || dnstap ? { queryLog: logged, dnstap } : undefined,
    resilience: resilienceOptions(said),
  };
}
