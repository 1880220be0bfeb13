import type { FullNodeResolver, FullProps } from "../full-props/fill-in";
import { parseDuration } from "../syntax/duration";
import { withoutEmpty } from "../syntax/mapping";

export type NodeResolverSettings = ReturnType<typeof nodeResolverSettings>;

export function nodeResolverSettings(
  said: FullNodeResolver,
  image: string,
  { clusterDNS, clusterDomain, metricsAddress }: FullProps,
) {
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
