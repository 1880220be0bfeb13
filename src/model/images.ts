import { defaults } from "./defaults";
import { compareVersions } from "./syntax/compare-versions";
import type { ClusterDnsProps } from "./props/cluster-dns";
import { releasedAgentImage } from "./released";

/** The image the user names or, by default, the standard one from the cluster's registry for default images. */
export function imageOf(named: string | undefined, standard: string, imageRegistry: string): string {
  return named ?? standard.replace(defaults.cluster.imageRegistry, imageRegistry);
}

/** The version of CoreDNS in the tag of an image; undefined with a digest alone, or a name of one's own. */
export function coreDnsVersionIn(image: string): string | undefined {
  return /:v?(\d+\.\d+\.\d+)[^/]*$/.exec(image)?.[1];
}

/** Whether a version is known, and is before another. */
export function isBefore(version: string | undefined, other: string): boolean {
  return version !== undefined && compareVersions(version, other) < 0;
}

/** What k8s-dns-node-cache 1.26.8 contains. */
export const nodeCacheCoreDns = "1.13.2";

/** A released package brings the agent's image; `none` does without. */
export function withAgentImage<Props extends Pick<ClusterDnsProps, "agentImage">>({
  agentImage = releasedAgentImage,
  ...props
}: Props): Omit<Props, "agentImage"> & Pick<ClusterDnsProps, "agentImage"> {
  return agentImage === undefined || agentImage === "none" ? props : { ...props, agentImage };
}
