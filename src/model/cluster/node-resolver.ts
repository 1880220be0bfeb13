import type { FullNodeResolver, FullProps } from "../full-props/fill-in";
import { parseDuration } from "../syntax/duration";
import { withoutEmpty } from "../syntax/mapping";

/** Settings of the node-resolver. */
export interface NodeResolverSettings
  extends FullNodeResolver, Pick<FullProps, "clusterDNS" | "clusterDomain" | "metricsAddress"> {
  readonly image: string;
  readonly intervalSeconds: number;
}

export function nodeResolverSettings(
  said: FullNodeResolver,
  image: string,
  { clusterDNS, clusterDomain, metricsAddress }: FullProps,
): NodeResolverSettings {
  return {
    ...said,
    image,
    clusterDNS,
    clusterDomain,
    metricsAddress,
    intervalSeconds: (parseDuration(said.interval) ?? 0) / 1000,
    ...(said.seLinuxOptions && { seLinuxOptions: withoutEmpty(said.seLinuxOptions) }),
  };
}
