import { watches, type AuthoritativeNames } from "../corefile/authoritative";
import { defaults, withDefaults } from "../defaults";
import { imageOf, isCoreDnsBefore } from "../images";
import type { AuthoritativeDnsOptions, AutoscalerOptions } from "../props/authoritative-dns";
import type { Resources } from "../props/placement";
import type { ClusterSize } from "../props/size";
import { outsideCache } from "./cache";
import { maxAgeSince } from "../corefile/outside-names";
import { authoritativeMemory, type Memory } from "./memory";
import { placementOf, type Placement } from "./placement";

/** Settings of authoritative DNS. */
export interface AuthoritativeDnsSettings {
  readonly kind: "Deployment" | "DaemonSet";
  readonly image: string;
  /** Undefined: the autoscaler, or the number of nodes, decides. */
  readonly replicas: number | undefined;
  readonly autoscaler: AutoscalerSettings | undefined;
  readonly names: AuthoritativeNames;
  readonly placement: Placement;
  /** What it needs; the default of `resources`. */
  readonly memory: Memory;
  readonly resources: Resources;
}

/** Settings of cluster-proportional-autoscaler. */
export interface AutoscalerSettings extends Required<Omit<AutoscalerOptions, "max">> {
  readonly max: number | undefined;
  readonly placement: Placement;
}

/** Undefined if the cluster keeps its existing DNS. */
export function authoritativeDnsSettings(
  given: AuthoritativeDnsOptions | undefined,
  imageRegistry: string,
  size: Required<ClusterSize>,
  shared: Pick<AuthoritativeNames, "domain" | "outside" | "rewrites" | "zones" | "tenancy" | "federation">,
): AuthoritativeDnsSettings | undefined {
  const {
    kind,
    image: _belowWithRegistry,
    replicas,
    autoscaler: autoscalerOptions,
    pods,
    ttl,
    cache,
    corefile,
    nodePlacement,
    resources,
    ...unread
  } = withDefaults(given, defaults.authoritativeDNS);
  unread satisfies { readonly [key: string]: never };
  if (kind === "Existing") return undefined;
  const placement = placementOf(nodePlacement, []);
  const autoscaler = autoscalerOptions && autoscalerSettings(autoscalerOptions, imageRegistry, placement);
  const image = imageOf(given?.image, defaults.authoritativeDNS.image, imageRegistry);
  const outside = { ...shared.outside, endsConnections: !isCoreDnsBefore(maxAgeSince, image) };
  const names = { ...shared, outside, pods, ttl, cache: outsideCache(cache), additions: corefile };
  const memory = authoritativeMemory({ size, ...watches(names), cache: names.cache });
  return {
    kind,
    image,
    // Two owners of the replica count would fight over it (gardener#7129).
    replicas: kind === "DaemonSet" || autoscaler ? undefined : replicas,
    autoscaler,
    names,
    placement,
    memory,
    resources: resources ?? {
      requests: { cpu: "100m", memory: memory.request },
      limits: { memory: memory.limit },
    },
  };
}

function autoscalerSettings(given: AutoscalerOptions, imageRegistry: string, placement: Placement): AutoscalerSettings {
  const {
    coresPerReplica,
    nodesPerReplica,
    min,
    max,
    image: _belowWithRegistry,
    ...unread
  } = withDefaults(given, defaults.autoscaler);
  unread satisfies { readonly [key: string]: never };
  const image = imageOf(given.image, defaults.autoscaler.image, imageRegistry);
  return { coresPerReplica, nodesPerReplica, min, max, image, placement };
}
