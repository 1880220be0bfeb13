import { defaults } from "../defaults";
import type { FullProps } from "../full-props/fill-in";
import type { Engine, Interception, NodeLocalDnsOptions, PacketFilter } from "../props/node-local-dns";
import { familyOf, type Family } from "../syntax/addresses";
import { pastCacheAddress } from "./link-addresses";
import { proxyMode } from "./proxy-modes";

/** The environment variable that the kubelet sets for Service `kube-dns-upstream`; CoreDNS expands it in a Corefile. */
export const upstreamServiceVariable = "KUBE_DNS_UPSTREAM_SERVICE_HOST";

/**
 * How a query gets from a pod to an answer. Everything that must agree (bind addresses, forward target, upstream
 * Service, kubelet settings, addresses on the link) is decided here and nowhere else.
 */
export interface QueryPath {
  readonly state: NonNullable<NodeLocalDnsOptions["state"]>;
  readonly interception: Interception;
  /** Families of the cluster DNS, in the same order. */
  readonly families: readonly Family[];
  /** Addresses that the cache binds; empty: every address of its pod. */
  readonly listenAddresses: readonly string[];
  /** The cache's addresses on each node's own link; empty without a link. */
  readonly linkLocalAddresses: readonly string[];
  /** Whom the cache asks for the cluster domain and reverse names: addresses, or the upstream Service's variable. */
  readonly clusterServers: readonly string[] | "upstream-service";
  /** `clusterDNS` of the kubelets: the nameservers of pods. */
  readonly podNameservers: readonly string[];
  /** The program that listens. */
  readonly engine: Engine;
  /**
   * Who makes link, addresses and packet rules on the nodes: our agent, or node-cache its own. Undefined if there are
   * none; otherwise the cache is on the node's network.
   */
  readonly linkMadeBy: "agent" | "node-cache" | undefined;
}

export type QueryPathProps = Pick<FullProps, "clusterDNS" | "kubeProxyMode" | "cni" | "agentImage" | "nodeLocalDNS">;

/** The query path of a cluster; undefined if its mode has no node cache. */
export function queryPath(props: QueryPathProps): QueryPath | undefined {
  const { clusterDNS, agentImage, nodeLocalDNS } = props;
  const interception = nodeLocalDNS.interception ?? proxyMode(props).interceptions[0];
  if (interception === undefined) return undefined;

  const families = familiesOf(clusterDNS);
  const linkMadeBy = interception === "local-redirect" ? undefined : agentImage ? "agent" : "node-cache";
  const linkLocalAddresses = linkMadeBy ? linkLocalAddressesOf(families, nodeLocalDNS.linkLocalAddresses) : [];
  const state = nodeLocalDNS.state ?? (linkMadeBy === "node-cache" && families.length > 1 ? "disabled" : "enabled");
  return {
    state,
    interception,
    families,
    linkLocalAddresses,
    listenAddresses: {
      "service-ip": [...linkLocalAddresses, ...clusterDNS],
      "link-local": linkLocalAddresses,
      "local-redirect": [],
    }[interception],
    clusterServers: clusterServers(
      { interception, linkMadeBy, linkLocalAddresses },
      clusterDNS,
      nodeLocalDNS.packetFilter,
    ),
    podNameservers: interception === "link-local" && state === "enabled" ? linkLocalAddresses : clusterDNS,
    engine: nodeLocalDNS.engine ?? (linkMadeBy === "node-cache" ? "node-cache" : "coredns"),
    linkMadeBy,
  };
}

// To reach the cluster DNS past itself, the cache needs only one address, of the first family.
function clusterServers(
  path: Pick<QueryPath, "interception" | "linkMadeBy" | "linkLocalAddresses">,
  clusterDNS: readonly string[],
  packetFilter: PacketFilter,
): QueryPath["clusterServers"] {
  const { interception, linkMadeBy, linkLocalAddresses } = path;
  switch (interception) {
    case "link-local":
      return clusterDNS;
    case "service-ip":
      // node-cache's rules lead every query for the service IP to itself.
      if (linkMadeBy === "node-cache") return "upstream-service";
      // Ours for nftables may lead the node's own queries back to the cache; those for iptables never do.
      return packetFilter === "nftables"
        ? linkLocalAddresses.slice(0, 1).map(pastCacheAddress)
        : clusterDNS.slice(0, 1);
    case "local-redirect":
      return "upstream-service";
  }
}

export function familiesOf(clusterDNS: readonly string[]): Family[] {
  return clusterDNS.map((address) => familyOf(address) ?? "IPv4");
}

/** For each family, the configured address or the default one. */
export function linkLocalAddressesOf(families: readonly Family[], configured: readonly string[] = []): string[] {
  return families.map(
    (family) => configured.find((address) => familyOf(address) === family) ?? defaults.linkLocalAddresses[family],
  );
}
