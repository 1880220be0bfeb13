export type Backend = "nft" | "legacy";

/**
 * Which iptables the node's kubelet and kube-proxy use, as iptables-wrappers decides it: by the chains that the kubelet writes as a hint,
 * else by who has more rules; nft when they are even.
 * @param saved What `iptables-nft-save` and `iptables-legacy-save`, of both families, say.
 */
export function iptablesBackend(saved: { readonly [backend in Backend]: string }): Backend {
  const hinted = (["nft", "legacy"] as const).find((backend) =>
    /^:KUBE-(IPTABLES-HINT|KUBELET-CANARY) /m.test(saved[backend]),
  );
  if (hinted) return hinted;
  const count = (text: string) => text.split("\n").filter((line) => line.startsWith("-A")).length;
  return count(saved.legacy) > count(saved.nft) ? "legacy" : "nft";
}
