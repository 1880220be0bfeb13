import { authoritativeLabels, dnsPortNames, names, namespace } from "./object-names";
import type { AdmissionOptions, PodDNSConfig } from "./props/admission";
import type { AuthoritativeDnsOptions } from "./props/authoritative-dns";
import type { CacheOptions, ServeStale } from "./props/cache";
import type { ClusterDnsProps } from "./props/cluster-dns";
import type { CorefileAdditions } from "./props/corefile";
import type { ForwardOptions, HealthCheck } from "./props/forward-options";
import type { ArgoCdOptions, FluxOptions, FluxSource } from "./props/gitops";
import type { DnsServiceOptions } from "./props/dns-service";
import type { NetworkPolicyOptions } from "./props/network-policies";
import type { MonitoringOptions } from "./props/monitoring";
import type { NodeLocalDnsOptions, SearchPathOptions } from "./props/node-local-dns";
import type { NodeResolverOptions } from "./props/node-resolver";
import type { NodePlacement, Toleration } from "./props/placement";
import type { Dnstap } from "./props/query-log";
import type { ResilienceOptions } from "./props/resilience";
import type { ClusterSize } from "./props/size";
import type { SmokeTestOptions } from "./props/smoke-test";
import type { Rewrite, Zone, ZoneServers, ZoneTemplate } from "./props/special-names";
import type { TenancyOptions } from "./props/tenancy";

/** CoreDNS's own (plugin/forward). */
const forwardOptions = {
  protocol: "asAsked",
  timeout: "2s",
  maxFails: 2,
  failFast: false,
  expire: "10s",
} as const satisfies ForwardOptions;

/** Every default, in one place: `@default` in src/model/props documents the same, and a test compares the two. */
export const defaults = {
  cluster: {
    cni: "other",
    clusterDomain: "cluster.local",
    imageRegistry: "registry.k8s.io",
    upstreamPolicy: "random",
    stubDomains: {},
    hostAliases: [],
    rewrites: [],
    zones: {},
    filterAAAA: false,
    resilience: false,
    metricsAddress: "node",
    labels: {},
    annotations: {},
    smokeTest: false,
  } satisfies Partial<ClusterDnsProps>,

  authoritativeDNS: {
    kind: "Deployment",
    // From 1.14.7 on, no answer bypasses `acl` and `view` through the cache (coredns#8289).
    image: "registry.k8s.io/coredns/coredns:v1.14.7",
    pods: "insecure",
    ttl: 30,
  } satisfies AuthoritativeDnsOptions,

  /** While one is replaced, another serves. */
  leastReplicas: 2,
  /** Ours, kubeadm's and that of most clouds. */
  dnsService: {
    namespace,
    name: names.dnsService,
    selector: authoritativeLabels,
    targetPort: 53,
  } satisfies DnsServiceOptions,
  dnsPortNames,

  autoscaler: {
    mode: "cluster-proportional",
    // Gardener's.
    cpuUtilization: 70,
    image: "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.10.3",
  } satisfies AuthoritativeDnsOptions["autoscaler"],

  rewrite: { match: "exact", answer: "auto" } satisfies Partial<Rewrite>,

  corefile: { plugins: [] } satisfies CorefileAdditions,

  zone: { fallthrough: false, ttl: 30 } satisfies Zone,

  forwardOptions,

  healthCheck: { interval: "500ms", domain: ".", recursive: true } satisfies HealthCheck,

  zoneServers: { policy: "random", ...forwardOptions } satisfies Partial<ZoneServers>,

  dnstap: { full: false } satisfies Partial<Dnstap>,

  zoneTemplate: { rcode: "NOERROR" } satisfies ZoneTemplate,

  nodeLocalDNS: {
    askClusterDNS: [],
    packetFilter: "nftables",
    // Not used by kube-proxy (0x4000, 0x8000), CNI portmap (0x2000), Calico (0xffff0000), Cilium (0x0f00), AWS (0x80)
    // or Istio (0x539).
    markBit: 0x1000,
    watchdog: true,
  } satisfies NodeLocalDnsOptions,

  searchPath: { topLevelDomains: [] } satisfies Partial<SearchPathOptions>,

  /** docs/watchdog.md gives the reasons. */
  watchdogThresholds: {
    probeInterval: "600ms",
    probeTimeout: "100ms",
    failures: 3,
    windowFailures: 10,
    windowLength: "1m",
    successes: 5,
    recoverAfter: "3s",
    hostTimeout: "35s",
  } satisfies NodeLocalDnsOptions["watchdogThresholds"],

  nodeCacheImage: "registry.k8s.io/dns/k8s-dns-node-cache:1.26.8",

  /** KEP-1024's and, for IPv6, a unique local address, because link-local IPv6 needs a scope. */
  linkLocalAddresses: { IPv4: "169.254.20.10", IPv6: "fd00:169:254:20::10" },

  size: { nodes: 100 } satisfies ClusterSize,
  /** As in Kubernetes' own scale tests: 5,000 nodes, 150,000 pods, 10,000 Services. */
  sizePerNode: { pods: 30, services: 2 },
  /** Small clusters have more Services per node. */
  leastServices: 1000,

  /** For names outside: CoreDNS's smallest cache, because anybody can fill it; 30 seconds as in coredns.yaml.base. */
  cache: { success: { capacity: 1024, ttl: 30 }, denial: { capacity: 1024, ttl: 30 } } satisfies CacheOptions,
  /** CoreDNS's own capacity. Negative answers are kept briefly: Services come and go (nodelocaldns.yaml). */
  clusterCache: { success: { capacity: 9984, ttl: 30 }, denial: { capacity: 9984, ttl: 5 } } satisfies CacheOptions,
  prefetch: { duration: "1m", percentage: 10 } satisfies Partial<CacheOptions["prefetch"]>,

  serveStale: { refresh: "verify", preferPositive: false, clusterNames: false } satisfies Partial<ServeStale>,
  /** One second is less than any resolver waits; the TTL is RFC 8767's. */
  staleTimes: { timeout: "1s", responseTTL: "30s" } satisfies Partial<ServeStale>,

  /** Longer than known outages: 4 hours and 22 minutes (OpenAI, December 2024), 3 hours (AWS, October 2025). */
  resilience: {
    staleNames: "6h",
    preferPositive: true,
    staleClusterNames: "6h",
    pinnedNames: [],
    consolidateErrors: "1m",
    shed: true,
  } satisfies ResilienceOptions,

  nodeResolver: { state: "enabled", interval: "1m" } satisfies Partial<NodeResolverOptions>,

  /** Unless `monitoring` has a namespace. */
  metricsNamespaces: ["monitoring"] satisfies NetworkPolicyOptions["metricsNamespaces"],

  nodePlacement: { nodeSelector: { "kubernetes.io/os": "linux" } } satisfies NodePlacement,
  toleration: { operator: "Equal", value: "" } satisfies Toleration,

  tenancy: { membership: "listed", isolation: "open", strict: false } satisfies Partial<TenancyOptions>,
  systemTenant: { namespaces: ["default", "kube-system"] },

  admission: {
    allowedGroups: [],
    enforcement: "policies",
    placementGuard: false,
  } satisfies Partial<AdmissionOptions>,
  podDNSConfig: { excludedNamespaces: [] } satisfies Partial<PodDNSConfig>,
  webhook: { certificates: "self-managed", replicas: 3 } satisfies AdmissionOptions["webhook"],
  issuerRef: { kind: "Issuer" },

  smokeTest: { timeout: "90s" } satisfies SmokeTestOptions,
  monitoring: {
    // Endpoints of a Service have their port even if the pods, on the host's network, must not declare one.
    monitors: "ServiceMonitor",
    prometheusRule: true,
    dashboard: true,
    namespace: "kube-system",
    labels: {},
    runbookBaseURL: "https://github.com/OWNER/cdk8s-cluster-dns/blob/main/docs/runbooks",
  } satisfies MonitoringOptions,
  /** What the sidecar of Grafana's Helm chart looks for. */
  dashboardLabels: { grafana_dashboard: "1" },

  argocd: {
    targetRevision: "HEAD",
    folder: "dist",
    namespace: "argocd",
    server: "https://kubernetes.default.svc",
  } satisfies Partial<ArgoCdOptions>,
  flux: { folder: "dist", namespace: "flux-system" } satisfies Partial<FluxOptions>,
  fluxSource: { kind: "GitRepository", name: "flux-system" } satisfies FluxSource,
  /** A branch, and a tag. */
  fluxRef: { GitRepository: "main", OCIRepository: "latest" },
} as const;

/** Options with defaults filled in; undefined counts as not given. */
export function withDefaults<Options extends object, Defaults extends Partial<Options>>(
  options: Options | undefined,
  given: Defaults,
): Filled<Options, Defaults> {
  const said = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  return { ...given, ...Object.fromEntries(said) } as object as Filled<Options, Defaults>;
}

type Filled<Options, Defaults> = Options & {
  readonly [key in keyof Defaults & keyof Options]-?: NonNullable<Options[key]>;
};
