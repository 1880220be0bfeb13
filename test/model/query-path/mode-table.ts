import type { ClusterDnsProps, KubeProxyMode } from "../../../src/model/props/cluster-dns";
import type { Interception } from "../../../src/model/props/node-local-dns";
import type { QueryPath } from "../../../src/model/query-path/query-path";

/** One row of the mode table with one choice of IP families, and what follows from it. */
export interface Row {
  readonly kubeProxyMode: KubeProxyMode;
  readonly cni: "cilium" | "other";
  readonly interception: Interception;
  readonly clusterDNS: readonly string[];
  /** What the cache binds; nothing: every address of its pod. */
  readonly listen: readonly string[];
  /** Where it asks for the cluster's names. */
  readonly forward: readonly string[] | "upstream-service";
  /** What kubelets give to pods. */
  readonly podsAsk: readonly string[];
  /** Who makes the node's link and rules, if it has any; then the cache has its network. */
  readonly linkMadeBy: QueryPath["linkMadeBy"];
}

const [s4, s6] = ["10.96.0.10", "fd00:96::a"];
const [l4, l6] = ["169.254.20.10", "fd00:169:254:20::10"];
const [past4, past6] = ["169.254.20.12", "fd00:169:254:20::12"];
const upstream = "upstream-service";

type Values = [by: Interception, dns: string[], listen: string[], forward: Row["forward"], ask: string[]];

const serviceIP: Values[] = [
  ["service-ip", [s4], [l4, s4], [past4], [s4]],
  ["service-ip", [s6], [l6, s6], [past6], [s6]],
  ["service-ip", [s4, s6], [l4, l6, s4, s6], [past4], [s4, s6]],
  ["service-ip", [s6, s4], [l6, l4, s6, s4], [past6], [s6, s4]],
];
const linkLocal: Values[] = [
  ["link-local", [s4], [l4], [s4], [l4]],
  ["link-local", [s6], [l6], [s6], [l6]],
  ["link-local", [s4, s6], [l4, l6], [s4, s6], [l4, l6]],
  ["link-local", [s6, s4], [l6, l4], [s6, s4], [l6, l4]],
];
const localRedirect: Values[] = [
  ["local-redirect", [s4], [], upstream, [s4]],
  ["local-redirect", [s6], [], upstream, [s6]],
  ["local-redirect", [s4, s6], [], upstream, [s4, s6]],
  ["local-redirect", [s6, s4], [], upstream, [s6, s4]],
];

/** Without the agent: one family, and the interception that survives a stop of the cache best. */
const upstreamServiceIP: Values[] = [
  ["service-ip", [s4], [l4, s4], upstream, [s4]],
  ["service-ip", [s6], [l6, s6], upstream, [s6]],
];
const upstreamLinkLocal = linkLocal.filter(([, clusterDNS]) => clusterDNS.length === 1);

export const modeTable: readonly Row[] = [
  ...rows("iptables", "other", [...serviceIP, ...linkLocal], "agent"),
  ...rows("nftables", "other", [...serviceIP, ...linkLocal], "agent"),
  ...rows("ipvs", "other", linkLocal, "agent"),
  ...rows("none", "cilium", localRedirect, undefined),
  ...rows("iptables", "cilium", localRedirect, undefined),
  ...rows("iptables", "other", upstreamServiceIP, "node-cache"),
  ...rows("nftables", "other", upstreamServiceIP, "node-cache"),
  ...rows("ipvs", "other", upstreamLinkLocal, "node-cache"),
];

function rows(kubeProxyMode: KubeProxyMode, cni: Row["cni"], values: Values[], linkMadeBy: Row["linkMadeBy"]): Row[] {
  return values.map(([interception, clusterDNS, listen, forward, podsAsk]) => {
    return { kubeProxyMode, cni, interception, clusterDNS, listen, forward, podsAsk, linkMadeBy };
  });
}

/** A cluster in that row. */
export function propsOf({ kubeProxyMode, cni, interception, clusterDNS, linkMadeBy }: Row): ClusterDnsProps {
  const agentImage = linkMadeBy === "node-cache" ? undefined : "registry.example/agent:1";
  return { kubeProxyMode, cni, clusterDNS, agentImage, nodeLocalDNS: { interception } };
}
