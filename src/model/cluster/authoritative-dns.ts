import { watches, type AuthoritativeNames } from "../corefile/authoritative";
import { defaults, withDefaults } from "../defaults";
import { imageOf } from "../images";
import type { AuthoritativeDnsOptions, AutoscalerOptions } from "../props/authoritative-dns";
import type { Resources } from "../props/placement";
import type { ClusterSize } from "../props/size";
import { outsideCache } from "./cache";
import { authoritativeMemory, type Memory } from "./memory";
import { placementOf, type Placement } from "./placement";

/** What authoritative DNS is told. */
export interface AuthoritativeDnsSettings {
  readonly kind: "Deployment" | "DaemonSet";
  readonly image: string;
  /** Undefined: the autoscaler, or the number of nodes, decides. */
  readonly replicas: number | undefined;
  readonly autoscaler: AutoscalerSettings | undefined;
  readonly names: AuthoritativeNames;
  readonly placement: Placement;
  /** What it needs; `resources` has it unless the user says otherwise. */
  readonly memory: Memory;
  readonly resources: Resources;
}

/** What cluster-proportional-autoscaler is told. */
export interface AutoscalerSettings extends Required<Omit<AutoscalerOptions, "max">> {
  readonly max: number | undefined;
  readonly placement: Placement;
}

/** Undefined where the cluster keeps the DNS that it has. */
export function authoritativeDnsSettings(
  given: AuthoritativeDnsOptions | undefined,
  imageRegistry: string,
  size: Required<ClusterSize>,
  shared: Pick<AuthoritativeNames, "domain" | "outside" | "tenancy" | "federation">,
): AuthoritativeDnsSettings | undefined {
  const options = withDefaults(given, defaults.authoritativeDNS);
  const { kind, replicas, pods, ttl } = options;
  if (kind === "Existing") return undefined;
  const placement = placementOf(options.nodePlacement, []);
  const autoscaler = options.autoscaler && autoscalerSettings(options.autoscaler, imageRegistry, placement);
  const names = { ...shared, pods, ttl, cache: outsideCache(options.cache) };
  const memory = authoritativeMemory({ size, ...watches(names), cache: names.cache });
  return {
    kind,
    image: imageOf(given?.image, defaults.authoritativeDNS.image, imageRegistry),
    // Two owners of the number of pods would fight over it (gardener#7129).
    replicas: kind === "DaemonSet" || autoscaler ? undefined : replicas,
    autoscaler,
    names,
    placement,
    memory,
    resources: options.resources ?? {
      requests: { cpu: "100m", memory: memory.request },
      limits: { memory: memory.limit },
    },
  };
}

function autoscalerSettings(given: AutoscalerOptions, imageRegistry: string, placement: Placement): AutoscalerSettings {
  const { coresPerReplica, nodesPerReplica, min, max } = withDefaults(given, defaults.autoscaler);
  const image = imageOf(given.image, defaults.autoscaler.image, imageRegistry);
  return { coresPerReplica, nodesPerReplica, min, max, image, placement };
}
