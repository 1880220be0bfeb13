import type { MetricsAddress } from "../node-programs";
import type { FullProps } from "../full-props/fill-in";
import type { SELinuxOptions } from "../props/node-resolver";
import { parseDuration } from "../syntax/duration";
import { withoutEmpty } from "../syntax/mapping";

/** Settings of the node-resolver. */
export interface NodeResolverSettings {
  readonly image: string;
  readonly state: "enabled" | "removed";
  readonly services: readonly string[];
  readonly clusterDomain: string;
  /** The cluster DNS. */
  readonly servers: readonly string[];
  readonly intervalSeconds: number;
  readonly metricsAddress: MetricsAddress;
  readonly seLinuxOptions: SELinuxOptions | undefined;
}

export function nodeResolverSettings(
  said: NonNullable<FullProps["nodeResolver"]>,
  image: string,
  { clusterDomain, clusterDNS: servers, metricsAddress }: FullProps,
): NodeResolverSettings {
  const { state, services, interval, seLinuxOptions, ...unread } = said;
  unread satisfies { readonly [key: string]: never };
  return {
    image,
    clusterDomain,
    servers,
    metricsAddress,
    state,
    services,
    intervalSeconds: (parseDuration(interval) ?? 0) / 1000,
    seLinuxOptions: seLinuxOptions && withoutEmpty(seLinuxOptions),
  };
}
