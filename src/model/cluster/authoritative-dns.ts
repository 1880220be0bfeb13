import { watches, type AuthoritativeNames } from "../corefile/authoritative";
import { answeredZones } from "../corefile/zones";
import { defaults } from "../defaults";
import type { FullProps } from "../full-props/fill-in";
import type { Placement } from "../full-props/placement";
import { coreDnsVersionIn } from "../images";
import { rewrittenNames } from "./answered-names";
import { outsideCache } from "./cache";
import type { Facts } from "./facts";
import { resilienceOf } from "./resilience";
import { type Clients, cpuFor, isCapped, mostReplicas, replicasFor, served, usualCpu } from "../size/core-dns";
import { authoritativeParts, type Memory, memoryFor, type MemoryPart } from "../size/memory";
import type { Size } from "../full-props/size";

export type AuthoritativeDnsSettings = NonNullable<ReturnType<typeof authoritativeDnsSettings>>;

export type AutoscalerSettings = ReturnType<typeof autoscalerSettings>;

export type HorizontalSettings = Extract<AutoscalerSettings, { mode: "horizontal" }>;

/** Of cluster-proportional-autoscaler. */
export type ProportionalSettings = Exclude<AutoscalerSettings, HorizontalSettings>;

/** What CoreDNS holds. */
export function authoritativeMemory(names: AuthoritativeNames, size: Size): MemoryPart[] {
  return authoritativeParts({ size, ...watches(names), cache: names.cache, pinned: names.outside.pinned });
}

/** Undefined if the cluster keeps its existing DNS. */
export function authoritativeDnsSettings(
  said: FullProps,
  { outside: shared, observation, clients, resilience: options }: Facts,
) {
  const { authoritativeDNS, clusterDomain, rewrites, zones, tenancy, federation, size } = said;
  const { kind, image, replicas, pods, ttl, cache, corefile, nodePlacement: placement, resources } = authoritativeDNS;
  if (kind === "Existing") return undefined;
  const autoscaler =
    authoritativeDNS.autoscaler && autoscalerSettings(authoritativeDNS.autoscaler, placement, size, clients);
  const version = coreDnsVersionIn(image);
  const resilience = resilienceOf(options, version);
  const outside = { ...shared, version, pinned: resilience?.pinned };
  const caching = outsideCache(cache, cache, "coredns", resilience);
  const rewritten = caching.serveStale?.preferPositive ? rewrittenNames(said) : undefined;
  const names: AuthoritativeNames = {
    domain: clusterDomain,
    outside,
    rewrites: rewrites.length > 0 ? rewrites : undefined,
    zones: Object.keys(zones).length > 0 ? answeredZones(zones) : undefined,
    observation,
    tenancy,
    federation,
    // Hard isolation knows a client by its pod.
    pods: tenancy?.isolation === "hard" ? "verified" : pods,
    ttl,
    cache: caching,
    // What they lead to is in memory.
    rewritten: rewritten && { ...rewritten, cache: undefined, isOfCluster: true },
    resilience,
    additions: corefile,
  };
  const memory: Memory = memoryFor(authoritativeMemory(names, size));
  return {
    kind,
    image,
    /** Undefined: the autoscaler, or the number of nodes, decides: two owners would fight over it (gardener#7129). */
    replicas: kind === "DaemonSet" || autoscaler ? undefined : (replicas ?? replicasFor(size, clients)),
    autoscaler,
    names,
    /** Its own shares of the API server's seats. Undefined: it has those of all of kube-system. */
    apiShares: options?.apiPriority ? apiShares : undefined,
    placement,
    /** What it needs; the default of `resources`. */
    memory,
    resources: resources ?? {
      requests: { cpu: kind === "DaemonSet" ? usualCpu : cpuFor(size, clients), memory: memory.request },
      limits: { memory: memory.limit },
    },
  };
}

/** Of 255 then: 23 of an API server's 600 seats (kubernetes pkg/apis/flowcontrol/bootstrap). */
const apiShares = 10;

function autoscalerSettings(
  said: NonNullable<FullProps["authoritativeDNS"]["autoscaler"]>,
  placement: Placement,
  size: Size,
  clients: Clients,
) {
  const { nodes, cores } = served[size.hasNodes ? clients : "pods"];
  const { mode, cpuUtilization, coresPerReplica = cores, nodesPerReplica = nodes, min, max, image } = said;
  if (mode === "horizontal") {
    const least = min ?? Math.min(replicasFor(size, clients), max ?? mostReplicas);
    return { mode, cpuUtilization, min: least, max: max ?? Math.max(least, Math.min(4 * least, mostReplicas)) };
  }
  const least = min ?? defaults.leastReplicas;
  return {
    mode,
    coresPerReplica,
    nodesPerReplica,
    min: least,
    max: max ?? (isCapped(size, clients) ? Math.max(least, mostReplicas) : undefined),
    image,
    placement,
  };
}
