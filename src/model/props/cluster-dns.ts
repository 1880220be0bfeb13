import type { AdmissionOptions } from "./admission";
import type { AuthoritativeDnsOptions } from "./authoritative-dns";
import type { FederationOptions } from "./federation";
import type { ForwardOptions } from "./forward-options";
import type { GitOpsOptions } from "./gitops";
import type { MonitoringOptions } from "./monitoring";
import type { NetworkPolicyOptions } from "./network-policies";
import type { NodeLocalDnsOptions } from "./node-local-dns";
import type { NodeResolverOptions } from "./node-resolver";
import type { Dnstap, QueryLog } from "./query-log";
import type { ResilienceOptions } from "./resilience";
import type { ClusterSize } from "./size";
import type { SmokeTestOptions } from "./smoke-test";
import type { HostAlias, Rewrite, Zone } from "./special-names";
import type { TenancyOptions } from "./tenancy";
import type { Address, CIDR, DNSName, Image, NAT64Prefix, Registry, Release, Server } from "./values";

// Users name these types too.
export type * from "./admission";
export type * from "./authoritative-dns";
export type * from "./cache";
export type * from "./corefile";
export type * from "./dns-service";
export type * from "./federation";
export type * from "./forward-options";
export type * from "./gitops";
export type * from "./monitoring";
export type * from "./network-policies";
export type * from "./node-local-dns";
export type * from "./node-resolver";
export type * from "./placement";
export type * from "./query-log";
export type * from "./resilience";
export type * from "./size";
export type * from "./smoke-test";
export type * from "./special-names";
export type * from "./tenancy";
export type * from "./values";
export type * from "./watchdog-thresholds";

/** kube-proxy's mode; `none` if something else handles Services, such as Cilium. */
export type KubeProxyMode = "iptables" | "nftables" | "ipvs" | "none";

/** The whole DNS of a cluster: the contents of a file `clusters/NAME.yaml`, and the props of every construct. */
export interface ClusterDnsProps {
  /**
   * Cluster IP of the DNS Service `kube-dns`: one address, or one IPv4 and one IPv6 address in the order of the Service's
   * `clusterIPs`, whose first cannot change; a new Service may have either order. DNS serves the families of these
   * addresses.
   * @minItems 1
   * @maxItems 2
   * @default - none: required
   */
  readonly clusterDNS: readonly Address[];

  /**
   * The `mode` of kube-proxy's configuration, or `none`. Decides how queries reach the node cache.
   * @default - none: required
   */
  readonly kubeProxyMode: KubeProxyMode;

  /**
   * The network plugin, if it changes a query's path: Cilium handles Services in eBPF, before any packet rule.
   * @default other
   */
  readonly cni?: "cilium" | "other";

  /**
   * Cilium's version, in quotes: `"1.17.3"`. Versions whose local redirect loses queries are refused: 1.18.0 to 1.20.1.
   * @default - unknown: none is refused
   */
  readonly ciliumVersion?: Release;

  /**
   * The cluster's domain, as configured in kubelets.
   * @default cluster.local
   */
  readonly clusterDomain?: string;

  /**
   * The API server's `--service-cluster-ip-range`, to check `clusterDNS` against.
   * @default - not checked
   * @minItems 1
   * @maxItems 2
   */
  readonly serviceCIDRs?: readonly CIDR[];

  /**
   * Minor version of the cluster, in quotes: `"1.34"`. Newer features are refused. Supported: 1.28 to 1.37.
   * @default - only features of every supported version are used
   */
  readonly kubernetesVersion?: string;

  /**
   * How large the cluster is or may become. Memory follows from it and, with `nodes`, much else: docs/scale.md.
   * @default - 100 nodes, 3000 pods, 1000 Services
   */
  readonly size?: ClusterSize;

  /**
   * Registry (and path) that mirrors the default images: it replaces `registry.k8s.io`. Images set explicitly are used
   * unchanged.
   * @default registry.k8s.io
   */
  readonly imageRegistry?: Registry;

  /**
   * Image of this project's programs, by tag or digest, or `none`. It adds failover to the node cache. A released package
   * brings its own; from a clone, build and push one with `npm run image -- --push REGISTRY/NAME`.
   * @default - the released package's; in a clone none: the node cache is upstream's, which serves one IP family and has no failover
   */
  readonly agentImage?: Image;

  /**
   * Servers for names outside the cluster: `IP`, `IP:port` or `[IPv6]:port`, at most 15.
   * @default - the resolvers of the node (/etc/resolv.conf)
   * @minItems 1
   * @maxItems 15
   */
  readonly upstreamNameservers?: readonly Server[];

  /**
   * Ask `upstreamNameservers` over TLS (DNS over TLS, port 853) and expect this name in their certificate.
   * @default - plain DNS
   */
  readonly upstreamTLSServerName?: DNSName;

  /**
   * Which of several upstreams is asked first: CoreDNS's `policy` of `forward`.
   * @default random
   */
  readonly upstreamPolicy?: "random" | "round_robin" | "sequential";

  /**
   * How `upstreamNameservers`, or the resolvers of the node, are asked. Servers of a zone have options of their own, in
   * `zones`.
   * @default - CoreDNS's own
   */
  readonly upstreamOptions?: ForwardOptions;

  /**
   * Zones that other servers answer, each with its servers (`IP`, `IP:port` or `[IPv6]:port`, at most 15). One may
   * contain the cluster domain, whose names stay the cluster's, or lie below it. All names of a reverse zone go to its
   * servers, also those of Services' addresses.
   * @default {}
   */
  readonly stubDomains?: { readonly [zone: string]: readonly Server[] };

  /**
   * Names with fixed addresses, like a pod's `hostAliases`.
   * @default []
   */
  readonly hostAliases?: readonly HostAlias[];

  /**
   * Names that are asked as other names, such as an ingress's outside name as its Service. The first that fits counts.
   * @default []
   */
  readonly rewrites?: readonly Rewrite[];

  /**
   * Zones that are answered from here, or by other servers with options of their own. One may lie below the cluster
   * domain.
   * @default {}
   */
  readonly zones?: { readonly [zone: string]: Zone };

  /**
   * Answer no data to every question for IPv6 addresses (AAAA) of names outside the cluster, and ask nobody: for clusters
   * without IPv6, where half of the queries are such. Names of `zones` have none, either.
   * @default false
   */
  readonly filterAAAA?: boolean;

  /**
   * Make IPv6 addresses with this prefix from the IPv4 addresses of names that have no others: for clusters without IPv4,
   * whose network translates (NAT64). Usually `64:ff9b::/96`.
   * @default - none
   */
  readonly dns64?: NAT64Prefix;

  /**
   * Write queries to the logs of CoreDNS and of the node cache; `{}`: all.
   * @default - none
   */
  readonly queryLog?: QueryLog;

  /**
   * Send a copy of each query and answer from CoreDNS and the node cache elsewhere.
   * @default - none
   */
  readonly dnstap?: Dnstap;

  /**
   * What keeps names resolving while servers outside, the cluster DNS or the API server are down: `true` for all parts, or
   * an object that changes some; docs/outages.md. Needs CoreDNS 1.14.7.
   * @default false
   */
  readonly resilience?: boolean | ResilienceOptions;

  /**
   * Tenants and the names of their Services.
   * @default - no tenants
   */
  readonly tenancy?: TenancyOptions;

  /**
   * The federation of clusters that this one belongs to.
   * @default - none
   */
  readonly federation?: FederationOptions;

  /**
   * Prefer pods of the cluster DNS near the client: `trafficDistribution` of Services `kube-dns` and
   * `kube-dns-upstream`. `PreferClose` needs Kubernetes 1.31, the others 1.34.
   * @default - spread over all pods
   */
  readonly trafficDistribution?: "PreferClose" | "PreferSameZone" | "PreferSameNode";

  /**
   * `resolvConf` for the kubelets: the file with the servers for pods with `dnsPolicy: Default`, and with the search
   * domains for all. `""`: pods inherit nothing from their node; needs `upstreamNameservers`, and a
   * CoreDNS of this project, which asks them.
   * @default - unchanged
   */
  readonly resolvConf?: string;

  /**
   * Where programs on the nodes' network (node cache, watchdog, node-resolver) serve metrics: at the node's own
   * address, or only on loopback, for a collector on each node.
   * @default node
   */
  readonly metricsAddress?: "node" | "loopback";

  /**
   * Extra labels on every object and pod.
   * @default {}
   */
  readonly labels?: { readonly [key: string]: string };

  /**
   * Extra annotations on every object and pod.
   * @default {}
   */
  readonly annotations?: { readonly [key: string]: string };

  /**
   * The server of the cluster domain.
   * @default - CoreDNS as a Deployment of two pods
   */
  readonly authoritativeDNS?: AuthoritativeDnsOptions;

  /**
   * The cache on every node.
   * @default - see `state`
   */
  readonly nodeLocalDNS?: NodeLocalDnsOptions;

  /**
   * Addresses of Services in the hosts file of every node.
   * @default - none
   */
  readonly nodeResolver?: NodeResolverOptions;

  /**
   * What is set and refused at admission: the DNS configuration of pods, names of namespaces, changes to Corefiles and
   * DNS Services, placements that match no node.
   * @default - none
   */
  readonly admission?: AdmissionOptions;

  /**
   * Jobs that ask for names from a pod and from a node's network after each rollout, and fail if one does not resolve:
   * `true`, or options. They need `agentImage`.
   * @default false
   */
  readonly smokeTest?: boolean | SmokeTestOptions;

  /**
   * Network policies of the pods on the pod network: `true`, or an object with options. `false`: none, not even the
   * webhook's.
   * @default - only the webhook's, which leaves its metrics open
   */
  readonly networkPolicies?: boolean | NetworkPolicyOptions;

  /**
   * Monitors, alerts and a dashboard.
   * @default - annotations `prometheus.io/scrape` on what has metrics
   */
  readonly monitoring?: MonitoringOptions;

  /**
   * The objects with which Argo CD or Flux applies what is rendered; see docs/gitops.md. The
   * command `synth` writes them; the constructs do not make them, because they are applied elsewhere.
   * @default - none
   */
  readonly gitops?: GitOpsOptions;
}
