import type { CacheClasses, CacheOptions } from "./cache";
import type { CorefileAdditions } from "./corefile";
import type { NodePlacement, Resources } from "./placement";
import type { WatchdogThresholds } from "./watchdog-thresholds";
import type { Address, DNSName, Duration, Image, TopLevelDomain } from "./values";

/** How a pod's query reaches the cache of its node. */
export type Interception = "service-ip" | "link-local" | "local-redirect";

/** The program that caches. */
export type Engine = "coredns" | "node-cache";

/** The packet filter that our rules use. */
export type PacketFilter = "nftables" | "iptables";

/** node-local-dns: a DNS cache on every node. */
export interface NodeLocalDnsOptions {
  /**
   * `disabled`: renders nothing. `enabled`: a cache on every node. Leaving `link-local` takes two more steps, because
   * running pods keep the address they started with: `draining` (no cache; the address stays on every node and
   * translates to the cluster DNS), then `removed` (removes link, address and rules from every node). With
   * `service-ip`, `disabled` leaves the rules on the nodes, where they do nothing without a cache; `removed` removes
   * them too.
   * @default - enabled if the mode has a cache; disabled with two IP families and no `agentImage`
   */
  readonly state?: "enabled" | "disabled" | "draining" | "removed";

  /**
   * With `removed`: how long the link-local address must have received no query before a node removes it. Pods that
   * still hold it may ask it only rarely. Give `24h` with `service-ip`, too, if pods still run that started with
   * `link-local`.
   * @default - 24h with `link-local`; 1m with `service-ip`, where no pod was told the address
   * @formatMinimum 1s
   * @formatMaximum 168h
   */
  readonly removeAfter?: Duration;

  /**
   * How queries reach the cache. `service-ip`: the cache also listens on the DNS Service's address, and kubelets stay
   * as they are; iptables and nftables mode. `link-local`: kubelets point to the cache's address. `local-redirect`:
   * Cilium redirects.
   * @default - service-ip with kube-proxy in iptables or nftables mode, link-local in ipvs mode, local-redirect with
   * Cilium
   */
  readonly interception?: Interception;

  /**
   * Addresses of the cache on every node, at most one for each family of `clusterDNS`. The two addresses after each are
   * used as well.
   * @default - 169.254.20.10, and fd00:169:254:20::10 for IPv6
   * @minItems 1
   * @maxItems 2
   */
  readonly linkLocalAddresses?: readonly Address[];

  /**
   * The program: the CoreDNS image of authoritative DNS, or Kubernetes' k8s-dns-node-cache (one IP family only), which
   * without `agentImage` also makes link and rules. To say that this is what you want, set it.
   * @default - coredns; node-cache if neither `agentImage` nor Cilium leads queries to the cache
   */
  readonly engine?: Engine;

  /**
   * Image of the engine, by tag or digest.
   * @default - registry.k8s.io/coredns/coredns:v1.14.7, or registry.k8s.io/dns/k8s-dns-node-cache:1.26.8
   */
  readonly image?: Image;

  /**
   * The cache for the cluster's names. Its TTLs, `prefetch` and `serveStale` also apply to all other names.
   * @default - 9984 positive answers for 30 seconds, 9984 negative ones for 5
   */
  readonly cache?: CacheOptions;

  /**
   * Capacities and TTLs of the cache for all other names, including stub domains, for answers over UDP.
   * @default - TTLs as in `cache`, or 30 seconds; 1024 positive and 1024 negative answers
   */
  readonly outsideCache?: CacheClasses;

  /**
   * Zones outside the cluster domain that the cluster's DNS answers in a way of its own, so that the cache asks it and not
   * the servers outside; or `all` names outside. What `rewrites` and `zones` need is asked there without this key; with
   * `authoritativeDNS.kind: Existing` only you know what yours answers.
   * @default []
   */
  readonly askClusterDNS?: "all" | readonly DNSName[];

  /**
   * The cache walks the search path of pods: the first query for a name outside gets the answer that the last would get.
   * Needs the search domains of the nodes. docs/search-path.md says for which names.
   * @default - each pod walks by itself
   */
  readonly searchPath?: SearchPathOptions;

  /**
   * Corefile text for what has no key. The cache does not need what CoreDNS has: it asks CoreDNS for the names.
   * @default - none
   */
  readonly corefile?: CorefileAdditions;

  /**
   * Which nodes have a cache. Pods on other nodes ask the cluster DNS.
   * @default - every Linux node, whatever its taints
   */
  readonly nodePlacement?: NodePlacement;

  /**
   * Resources of the cache's container. By default, memory follows from the sizes of its caches; see docs/memory.md.
   * @default - requests: cpu 25m and usual memory; limits: worst-case memory
   */
  readonly resources?: Resources;

  /**
   * The packet filter for the rules on a node. `iptables` is for nodes with INPUT policy DROP, and for kernels that lack a
   * module of our nftables rules, such as nft_socket (Linux before 5.10). Both need nf_tables.
   * @default nftables
   */
  readonly packetFilter?: PacketFilter;

  /**
   * Packet and connection mark bit for link-local translation; neither kube-proxy (0x4000, 0x8000) nor the network
   * plugin may use it.
   * @default 4096
   * @minimum 1
   * @maximum 2147483648
   * @asType integer
   */
  readonly markBit?: number;

  /**
   * How many queries a second the cache takes from one pod, by its address. What comes in excess is dropped and counted;
   * a pod that was quiet may send a second's queries at once. Opening a TCP connection counts as one query. The node's own
   * processes have no limit. docs/query-limit.md says how to choose it.
   * @default - no limit
   * @minimum 10
   * @maximum 10000
   * @asType integer
   */
  readonly queryLimit?: number;

  /**
   * A watchdog on every node: it repairs the link and the rules, and bypasses a cache that answers wrongly. Without it,
   * the kernel still bypasses a cache that is dead and, with nftables, one that hangs.
   * @default true
   */
  readonly watchdog?: boolean;

  /** When the watchdog leaves the cache, and when it returns to it. */
  readonly watchdogThresholds?: WatchdogThresholds;
}

/** What the cache has to know to walk the search path of pods. */
export interface SearchPathOptions {
  /**
   * The domains after `search` in the file that kubelets give to pods (`resolvConf`), in their order. It must be the same
   * on all nodes. `[]`: none.
   * @maxItems 29
   */
  readonly nodeDomains: readonly DNSName[];

  /**
   * Top-level domains whose names of two labels are walked, too, such as `com` for `github.com`. No headless Service may
   * have the name of one: `github.com` could be its endpoint `github`.
   * @default []
   */
  readonly topLevelDomains?: readonly TopLevelDomain[];
}
