import type { ClusterFacts, KubeProxyMode } from "../props/cluster-facts";
import type { Interception } from "../props/node-local-dns";

/**
 * The interceptions that work in a mode, the default first; empty where no node cache is possible.
 * - ipvs: packets to the service IP always meet the IPVS rules (KEP-1024, Risks), so only link-local.
 * - Cilium handles Service traffic in eBPF before any packet rule (cilium#10651), so only its own redirect policy.
 * - no kube-proxy and no Cilium: who handles Services is unknown, and so is what would intercept.
 */
export function interceptionsFor(facts: Pick<ClusterFacts, "kubeProxyMode" | "cni">): readonly Interception[] {
  if (facts.cni === "cilium") return ["local-redirect"];
  return byKubeProxyMode[facts.kubeProxyMode];
}

const byKubeProxyMode: { readonly [mode in KubeProxyMode]: readonly Interception[] } = {
  iptables: ["service-ip", "link-local"],
  nftables: ["service-ip", "link-local"],
  ipvs: ["link-local"],
  none: [],
};
