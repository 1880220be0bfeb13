import type { StaleSettings } from "../corefile/cache";
import type { PinnedNames } from "../corefile/pinned-names";
import type { ServerResilience } from "../corefile/resilience";
import { defaults, withDefaults } from "../defaults";
import { coreDnsVersionIn, isBefore, nodeCacheCoreDns } from "../images";
import { features, minorVersion } from "../kubernetes-version";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { ResilienceOptions } from "../props/resilience";
import type { QueryPath } from "../query-path/query-path";
import { canonicalName } from "../syntax/names";

/** The first version of CoreDNS that has all that is needed: `serve_stale` with times, its policy, `shed` (its notes). */
const resilientSince = "1.14.7";

/** What a server does while others are down. */
export interface Resilience extends ServerResilience {
  readonly stale: { readonly [names in "outside" | "cluster"]: StaleSettings | undefined };
  readonly pinned: PinnedNames | undefined;
}

/** Every part, filled in; undefined: none. */
export function resilienceOptions({
  resilience,
  kubernetesVersion = "",
  authoritativeDNS,
}: Pick<ClusterDnsProps, "resilience" | "kubernetesVersion" | "authoritativeDNS">):
  | Required<ResilienceOptions>
  | undefined {
  if (!resilience) return undefined;
  const hasFlows =
    authoritativeDNS?.kind !== "Existing" && (minorVersion(kubernetesVersion) ?? 0) >= features.flowControl;
  return withDefaults(resilience === true ? {} : resilience, { ...defaults.resilience, apiPriority: hasFlows });
}

/**
 * @param version Of the server's CoreDNS; undefined: one that has every option.
 * @param names Outside, that it asks for one after another before it answers.
 */
export function resilienceOf(
  options: Required<ResilienceOptions> | undefined,
  version: string | undefined,
  names = 1,
): Resilience | undefined {
  if (!options || isBefore(version, resilientSince)) return undefined;
  const { staleNames, preferPositive, staleClusterNames, pinnedNames, consolidateErrors, shed } = options;
  const timeout = names > 3 ? `${Math.floor(walkMs / names)}ms` : defaults.staleTimes.timeout;
  return {
    stale: {
      outside: staleNames === false ? undefined : { ...stale(staleNames, preferPositive), timeout },
      cluster: staleClusterNames === false ? undefined : stale(staleClusterNames, false),
    },
    pinned:
      pinnedNames.length === 0
        ? undefined
        : { names: pinnedNames.map(canonicalName).sort(), stale: { ...stale(pinnedDuration, true), timeout } },
    consolidateErrors,
    shed,
  };
}

/** Parts that a cluster does not get. */
export function resilienceNotes(props: ClusterDnsProps, path: QueryPath | undefined): string[] {
  const options = resilienceOptions(props);
  if (!options) return [];
  const { authoritativeDNS, nodeLocalDNS } = props;
  const isExisting = authoritativeDNS?.kind === "Existing";
  const hasCache = path?.state === "enabled";
  const versions = {
    authoritativeDNS: isExisting ? undefined : coreDnsVersionIn(authoritativeDNS?.image ?? ""),
    nodeLocalDNS: path?.engine === "node-cache" ? nodeCacheCoreDns : coreDnsVersionIn(nodeLocalDNS?.image ?? ""),
  };
  return [
    ...(["authoritativeDNS", "nodeLocalDNS"] as const)
      .filter(
        (component) => (component === "authoritativeDNS" || hasCache) && isBefore(versions[component], resilientSince),
      )
      .map(
        (component) =>
          `resilience: ${component} has no part of it${component === "authoritativeDNS" && options.apiPriority ? " but apiPriority" : ""}, because it is CoreDNS ${versions[component]}; CoreDNS ${resilientSince} has all`,
      ),
    ...(isExisting ? ["resilience: the cluster's own CoreDNS has no part of it; only the node cache does"] : []),
    ...(!hasCache && options.staleClusterNames !== false
      ? ["resilience: staleClusterNames has no effect without a node cache"]
      : []),
    ...(!isExisting && !options.apiPriority && !saysApiPriority(props)
      ? [
          `resilience: CoreDNS has no share of the API server of its own; set kubernetesVersion: "1.${features.flowControl}" or newer if the cluster has it`,
        ]
      : []),
  ];
}

function saysApiPriority({ resilience }: ClusterDnsProps): boolean {
  return typeof resilience === "object" && resilience.apiPriority !== undefined;
}

/** Pods ask again after five seconds, and wait for all names of their search path that the cache walks. */
const walkMs = 3000;

/** Three days is the most that RFC 8767 suggests. */
const pinnedDuration = "72h";

/** With a time for `failureRecheck`, a name could be old while all is well: one query asks, others beside it do not wait. */
function stale(duration: string, preferPositive: boolean): StaleSettings {
  const { refresh } = defaults.serveStale;
  return { duration, refresh, ...defaults.staleTimes, failureRecheck: undefined, preferPositive };
}
