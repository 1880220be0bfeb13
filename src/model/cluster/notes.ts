import type { ClusterDnsProps } from "../props/cluster-dns";
import { proxyMode } from "../query-path/proxy-modes";
import type { QueryPath } from "../query-path/query-path";

/** What a description that is right does not give, although users may expect it: shown, never refused. */
export function notesOf(props: ClusterDnsProps, path: QueryPath | undefined): string[] {
  const { nodeLocalDNS, kubeProxyMode, agentImage } = props;
  if (props.authoritativeDNS?.kind === "Existing" && path?.state !== "enabled")
    return ["neither authoritative DNS nor a node cache: what says how they answer has no effect"];
  if (nodeLocalDNS !== undefined || path?.state === "enabled") return [];
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
