import { proxyMode } from "../query-path/proxy-modes";
import { queryPath } from "../query-path/query-path";
import type { ClusterDnsProps } from "../props/cluster-dns";

/** What a user may not expect of a description that is right: shown, never refused. */
export function notes(props: ClusterDnsProps): string[] {
  const { nodeLocalDNS, kubeProxyMode, agentImage } = props;
  if (props.authoritativeDNS?.kind === "Existing" && queryPath(props)?.state !== "enabled")
    return ["neither authoritative DNS nor a node cache: what says how they answer has no effect"];
  if (nodeLocalDNS !== undefined || queryPath(props)?.state === "enabled") return [];
  if (proxyMode(props).interceptions.length === 0)
    return [
      `no node cache: kubeProxyMode ${kubeProxyMode} without cni: cilium says nothing about who handles Services`,
    ];
  return agentImage
    ? []
    : [
        `no node cache: kubeProxyMode ${kubeProxyMode} needs agentImage for it (or say nodeLocalDNS: {state: disabled})`,
      ];
}
