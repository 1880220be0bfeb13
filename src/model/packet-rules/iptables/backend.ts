export type Backend = "nft" | "legacy";

/**
 * Which iptables the node's kubelet and kube-proxy use, decided as in iptables-wrappers: the backend with the kubelet's
 * hint chains, otherwise the one with more rules; nft on a tie.
 * @param saved Output of `iptables-nft-save` and `iptables-legacy-save`, for both families.
 */
export function iptablesBackend(saved: { readonly [backend in Backend]: string }): Backend {
  const hinted = hintedBackend(saved);
  if (hinted) return hinted;
  const count = (text: string) => text.split("\n").filter((line) => line.startsWith("-A")).length;
  return count(saved.legacy) > count(saved.nft) ? "legacy" : "nft";
}

/** The kubelet's hint chains, all in table mangle. */
export const hintChains = ["KUBE-IPTABLES-HINT", "KUBE-KUBELET-CANARY"] as const;

/** The backend that has a hint chain. @param saved Table mangle is enough. */
export function hintedBackend(saved: { readonly [backend in Backend]: string }): Backend | undefined {
  return (["nft", "legacy"] as const).find((backend) =>
    hintChains.some((chain) => saved[backend].includes(`:${chain} `)),
  );
}
