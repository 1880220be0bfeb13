import { familyOf, type Family } from "../syntax/addresses";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Interception, NodeLocalDnsOptions } from "../props/node-local-dns";
import { proxyMode } from "./proxy-modes";

/** Name of the Service through which a cache on the service IP reaches the cluster DNS. */
export const upstreamServiceName = "kube-dns-upstream";

/** The environment variable that the kubelet sets for that Service; CoreDNS replaces it in a Corefile. */
export const upstreamServiceVariable = "KUBE_DNS_UPSTREAM_SERVICE_HOST";

/** Link-local IPv4 address of the cache (KEP-1024) and, for IPv6, a unique local address: IPv6 link-local ones need a scope. */
export const defaultLinkLocalAddresses: { readonly [family in Family]: string } = {
  IPv4: "169.254.20.10",
  IPv6: "fd00:169:254:20::10",
};

/**
 * The way of a query from a pod to an answer. Everything that must agree (bind addresses, forward target, upstream Service,
 * what kubelets are told, addresses on the link) is decided here, and nowhere else.
 */
export interface QueryPath {
  readonly state: NonNullable<NodeLocalDnsOptions["state"]>;
  readonly interception: Interception;
  /** Families of the cluster DNS, in its order. */
  readonly families: readonly Family[];
  /** Addresses that the cache binds; empty: every address of its pod. */
  readonly listenAddresses: readonly string[];
  /** Addresses of the cache on each node's own link; empty where there is no link. */
  readonly linkLocalAddresses: readonly string[];
  /** Where the cache asks for the cluster domain and reverse names: addresses, or the upstream Service's variable. */
  readonly clusterServers: readonly string[] | "upstream-service";
  /** `clusterDNS` of the kubelets: the nameservers of pods. */
  readonly podNameservers: readonly string[];
  /** Whether the cache shares the node's network. */
  readonly hostNetwork: boolean;
  /** Whether the nodes need link, addresses and packet rules, and so the agent. */
  readonly needsAgent: boolean;
}

/** The query path of a cluster; undefined where its mode has no node cache. Takes props that passed the checks. */
export function queryPath(props: ClusterDnsProps): QueryPath | undefined {
  const options = props.nodeLocalDNS ?? {};
  const interception = options.interception ?? proxyMode(props).interceptions[0];
  if (interception === undefined) return undefined;

  const families = props.clusterDNS.map((address) => familyOf(address) ?? "IPv4");
  const linkLocalAddresses =
    interception === "local-redirect" ? [] : linkLocalAddressesOf(families, options.linkLocalAddresses);
  const needsAgent = interception !== "local-redirect";
  const state = options.state ?? (needsAgent && !props.agentImage ? "disabled" : "enabled");
  return {
    state,
    interception,
    families,
    linkLocalAddresses,
    listenAddresses: {
      "service-ip": [...linkLocalAddresses, ...props.clusterDNS],
      "link-local": linkLocalAddresses,
      "local-redirect": [],
    }[interception],
    clusterServers: interception === "link-local" ? props.clusterDNS : "upstream-service",
    podNameservers: interception === "link-local" && state === "enabled" ? linkLocalAddresses : props.clusterDNS,
    hostNetwork: needsAgent,
    needsAgent,
  };
}

/** The configured addresses, and the default one of each family that none is configured for. */
export function linkLocalAddressesOf(families: readonly Family[], configured: readonly string[] = []): string[] {
  return families.map((family) => configured.find((a) => familyOf(a) === family) ?? defaultLinkLocalAddresses[family]);
}
