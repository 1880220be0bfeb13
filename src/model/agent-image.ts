import type { ClusterDnsProps } from "./props/cluster-dns";
import { releasedAgentImage } from "./released";

/** A released package brings the agent's image; `none` does without. */
export function withAgentImage<Props extends Pick<ClusterDnsProps, "agentImage">>({
  agentImage = releasedAgentImage,
  ...props
}: Props): Omit<Props, "agentImage"> & Pick<ClusterDnsProps, "agentImage"> {
  return agentImage === undefined || agentImage === "none" ? props : { ...props, agentImage };
}
