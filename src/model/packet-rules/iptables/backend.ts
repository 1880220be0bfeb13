export type Backend = "nft" | "legacy";

/**
 * Which iptables the node's kubelet and kube-proxy use, decided as iptables-wrappers does: the backend that has the kubelet's hint chains,
 * otherwise the one with more rules, and nft if both have as many.
 * @param saved What `iptables-nft-save` and `iptables-legacy-save` print, of both families.
 */
export function iptablesBackend(saved: { readonly [backend in Backend]: string }): Backend {
  const hinted = (["nft", "legacy"] as const).find((backend) =>
    /^:KUBE-(IPTABLES-HINT|KUBELET-CANARY) /m.test(saved[backend]),
  );
  if (hinted) return hinted;
  const count = (text: string) => text.split("\n").filter((line) => line.startsWith("-A")).length;
  return count(saved.legacy) > count(saved.nft) ? "legacy" : "nft";
}
