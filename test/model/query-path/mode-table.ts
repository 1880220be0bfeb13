import type { ClusterDnsProps, KubeProxyMode } from "../../../src/model/props/cluster-dns";
import type { Interception } from "../../../src/model/props/node-local-dns";

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
  /** Whether the node has the link and the rules, and the cache its network. */
  readonly ours: boolean;
}

const [s4, s6] = ["10.96.0.10", "fd00:96::a"];
const [l4, l6] = ["169.254.20.10", "fd00:169:254:20::10"];
const [past4, past6] = ["169.254.20.12", "fd00:169:254:20::12"];
const upstream = "upstream-service";

type Values = [
  interception: Interception,
  clusterDNS: string[],
  listen: string[],
  forward: Row["forward"],
  podsAsk: string[],
];

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

export const modeTable: readonly Row[] = [
  ...rows("iptables", "other", [...serviceIP, ...linkLocal]),
  ...rows("nftables", "other", [...serviceIP, ...linkLocal]),
  ...rows("ipvs", "other", linkLocal),
  ...rows("none", "cilium", localRedirect),
  ...rows("iptables", "cilium", localRedirect),
];

function rows(kubeProxyMode: KubeProxyMode, cni: Row["cni"], values: Values[]): Row[] {
  return values.map(([interception, clusterDNS, listen, forward, podsAsk]) => ({
    kubeProxyMode,
    cni,
    interception,
    clusterDNS,
    listen,
    forward,
    podsAsk,
    ours: interception !== "local-redirect",
  }));
}

/** A cluster in that row. */
export function propsOf({ kubeProxyMode, cni, interception, clusterDNS }: Row): ClusterDnsProps {
  return { kubeProxyMode, cni, clusterDNS, agentImage: "registry.example/agent:1", nodeLocalDNS: { interception } };
}
