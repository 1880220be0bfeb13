import { coreDnsVersionIn, nodeCacheCoreDns } from "../images";
import type { QueryPath } from "../query-path/query-path";

/** The CoreDNS of each component that a description names; undefined where it is the usual one, or not ours. */
export function coreDnsVersions(
  {
    authoritativeDNS,
    nodeLocalDNS,
  }: {
    readonly authoritativeDNS?: { readonly kind?: string; readonly image?: string };
    readonly nodeLocalDNS?: { readonly image?: string | undefined };
  },
  path: QueryPath | undefined,
) {
  const { kind, image = "" } = authoritativeDNS ?? {};
  return {
    authoritativeDNS: kind === "Existing" ? undefined : coreDnsVersionIn(image),
    nodeLocalDNS: path?.engine === "node-cache" ? nodeCacheCoreDns : coreDnsVersionIn(nodeLocalDNS?.image ?? ""),
  };
}
