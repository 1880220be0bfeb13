import type { CacheClasses, CacheOptions } from "./cache";
import type { NodePlacement, Resources } from "./placement";
import type { WatchdogThresholds } from "./watchdog-thresholds";

/** How a pod's query comes to the cache of its node. */
export type Interception = "service-ip" | "link-local" | "local-redirect";

/** What writes packet rules into a node's kernel. */
export type PacketFilter = "nftables" | "iptables";

/** node-local-dns: a DNS cache on every node. */
export interface NodeLocalDnsOptions {
  /**
   * `disabled`: nothing is rendered for it. `enabled`: a cache on every node. Leaving `link-local` takes two more steps, because
   * running pods keep the address they were started with: `draining` (no cache; the address stays on every node and
   * translates to the cluster DNS) and then `removed` (link, address and rules are taken away on every node). With `service-ip`, `disabled` leaves the rules on the nodes, where
   * they do nothing without a cache; `removed` takes them away too.
   * @default - enabled where the mode has a cache and `agentImage` is there if it needs one; otherwise disabled
   */
  readonly state?: "enabled" | "disabled" | "draining" | "removed";

  /**
   * `removed`: how long no query must have come to the link-local address before a node takes it away. Pods that still hold the address
   * ask it rarely, some of them once a day.
   * @default 24h
   */
  readonly removeAfter?: string;

  /**
   * How queries reach the cache. `service-ip`: the cache also listens on the DNS Service's address, no kubelet changes;
   * iptables and nftables mode. `link-local`: kubelets name the cache's address. `local-redirect`: Cilium redirects.
   * @default - service-ip with kube-proxy in iptables or nftables mode, link-local in ipvs mode, local-redirect with Cilium
   */
  readonly interception?: Interception;

  /**
   * Addresses of the cache on every node, at most one of each family that `clusterDNS` has. The two addresses after each are taken as well.
   * @default - 169.254.20.10, and fd00:169:254:20::10 for IPv6
   * @minItems 1
   * @maxItems 2
   */
  readonly linkLocalAddresses?: readonly string[];

  /**
   * The program: the CoreDNS image that authoritative DNS runs, or Kubernetes' k8s-dns-node-cache (one IP family only).
   * @default coredns
   */
  readonly engine?: "coredns" | "node-cache";

  /**
   * Image of the engine, by tag or digest.
   * @default - registry.k8s.io/coredns/coredns:v1.14.7, or registry.k8s.io/dns/k8s-dns-node-cache:1.26.8
   */
  readonly image?: string;

  /**
   * The cache for the cluster's names. What it says of ages, `prefetch` and `serveStale` holds for all others, too.
   * @default - 9984 positive answers for 30 seconds, 9984 negative ones for 5
   */
  readonly cache?: CacheOptions;

  /**
   * Sizes and ages of the cache for all other names, stub domains among them, of answers over UDP.
   * @default - ages as in `cache`, or 30 seconds; 1024 positive and 1024 negative answers
   */
  readonly outsideCache?: CacheClasses;

  /**
   * Which nodes have a cache. Pods on other nodes ask the cluster DNS.
   * @default - every Linux node, whatever its taints
   */
  readonly nodePlacement?: NodePlacement;

  /**
   * Resources of the cache's container. By default its memory follows from the sizes of its caches; see docs/memory.md.
   * @default - requests: cpu 25m, and memory for a usual day; limits: memory for the worst
   */
  readonly resources?: Resources;

  /**
   * What writes the packet rules on a node. `iptables` is for kernels without nf_tables and nodes whose INPUT policy drops.
   * @default nftables
   */
  readonly packetFilter?: PacketFilter;

  /**
   * Packet and connection mark bit that link-local translation uses; must be one that neither kube-proxy (0x4000, 0x8000)
   * nor the network plugin uses.
   * @default 4096
   * @minimum 1
   * @maximum 2147483648
   * @asType integer
   */
  readonly markBit?: number;

  /**
   * The watchdog on every node: repairs the link and the rules and leaves a cache that hangs. Without it a dead
   * cache still fails over, by the kernel's socket match.
   * @default true
   */
  readonly watchdog?: boolean;

  /** When the watchdog leaves the cache and comes back to it. */
  readonly watchdogThresholds?: WatchdogThresholds;
}
