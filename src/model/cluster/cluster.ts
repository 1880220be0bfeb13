import { admissionPlan, hasPolicies, needsWebhook, type AdmissionPlan } from "../admission/plan";
import { answeredZones } from "../corefile/zones";
import { outsideNames } from "../corefile/outside-names";
import { fillIn, type FullProps } from "../full-props/fill-in";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { FederationOptions } from "../props/federation";
import { familiesOf, queryPath, type QueryPath } from "../query-path/query-path";
import type { Family } from "../syntax/addresses";
import type { Tenancy } from "../tenancy/membership";
import type { Clients } from "../size/core-dns";
import type { Size } from "../full-props/size";
import type { PodDnsRules } from "../tenancy/pod-dns-config";
import type { DnsService } from "../dns-service";
import { askedThere, outsideOfCache } from "./asked-there";
import { authoritativeDnsSettings, type AuthoritativeDnsSettings } from "./authoritative-dns";
import { kubeletConfiguration, type KubeletDnsConfiguration } from "./kubelet";
import { networkPolicySettings, type NetworkPolicySettings } from "./network-policies";
import { monitoringSettings, type MonitoringSettings } from "./monitoring";
import { nodeLocalDnsComponents, type NodeLocalDnsComponents } from "./node-local-dns";
import { nodeResolverSettings, type NodeResolverSettings } from "./node-resolver";
import { isOver } from "./query-log";
import { notesOf, whyNoCache } from "./notes";
import { leavesOutNodes } from "../full-props/placement";
import { resilienceOptions } from "./resilience";
import { sizeNotes } from "./size-notes";
import { smokeTestSettings, type SmokeTestSettings } from "./smoke-test";
import { walkedPath } from "./walked-path";
import { webhookSettings, type WebhookSettings } from "./webhook";

/** A cluster as the rest of the code reads it: what its file says, with every default filled in. `resolve` makes it. */
export interface Cluster {
  readonly kind: "Cluster";
  /** What its file says, and the defaults of what it does not say. */
  readonly said: FullProps;
  /** The cluster's domain. */
  readonly domain: string;
  /** Whose address pods ask. */
  readonly dnsService: DnsService;
  /** Its addresses. */
  readonly clusterDNS: readonly string[];
  /** Their families, in the same order. */
  readonly families: readonly Family[];
  readonly kubeProxyMode: ClusterDnsProps["kubeProxyMode"];
  /** If the cluster file says it. */
  readonly ciliumVersion: string | undefined;
  readonly size: Size;
  /** Who asks the cluster DNS. */
  readonly clients: Clients;
  /** The minor version of Kubernetes to rely on. */
  readonly minorVersion: number;
  /** Undefined if the mode has no node cache. */
  readonly queryPath: QueryPath | undefined;
  /** Why there is no node cache although nothing turns it off. */
  readonly whyNoCache: string | undefined;
  /** The nameservers of pods. */
  readonly nameservers: readonly string[];
  readonly trafficDistribution: ClusterDnsProps["trafficDistribution"];
  /** Whether annotations tell Prometheus where metrics are. */
  readonly isAnnotatedForScraping: boolean;
  /** Extra labels and annotations of every object and pod. */
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
  /** What determines the DNS configuration of tenants' pods. */
  readonly podDns: PodDnsRules | undefined;
  /** What is decided at admission, and where. */
  readonly admission: AdmissionPlan | undefined;
  /** DNS settings for every kubelet. */
  readonly kubelet: KubeletDnsConfiguration;
  /** Undefined: no network policies. */
  readonly networkPolicies: NetworkPolicySettings | undefined;
  /** The controller that applies what is rendered, if it shall be told. */
  readonly gitops: FullProps["gitops"];
  /** What users may expect but do not get. */
  readonly notes: readonly string[];
  readonly components: Components;
}

export function isCluster(props: ClusterDnsProps | Cluster): props is Cluster {
  // JavaScript may pass anything.
  return (props as Partial<Cluster> | undefined)?.kind === "Cluster";
}

/** The settings of each component; undefined if the cluster does not have it. `ClusterDns` constructs them in order. */
export interface Components extends NodeLocalDnsComponents {
  readonly tenancy: Tenancy | undefined;
  readonly federation: FederationOptions | undefined;
  readonly authoritativeDns: AuthoritativeDnsSettings | undefined;
  readonly nodeResolver: NodeResolverSettings | undefined;
  readonly admissionPolicies: AdmissionPlan["policies"] | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly smokeTest: SmokeTestSettings | undefined;
  readonly monitoring: MonitoringSettings | undefined;
}

/**
 * The cluster that a description means. For a description with mistakes the result is meaningless, but this never
 * throws.
 * @param today `2026-12-24`; undefined: before everything that has an end.
 */
export function clusterOf(props: ClusterDnsProps, today?: string, said: FullProps = fillIn(props)): Cluster {
  // A new key that nothing reads does not compile.
  said as Omit<FullProps, KeyRead> satisfies { readonly [key: string]: never };
  const { clusterDNS, clusterDomain: domain, monitoring: monitoringOptions } = said;
  const facts = factsOf(said, today);
  const { size, clients, minor, dnsService, path, nameservers, podDns } = facts;
  const authoritativeDns = authoritativeDnsOf(said, facts);
  const admission =
    said.admission &&
    admissionPlan(said.admission, {
      minorVersion: minor,
      podDns,
      hasAuthoritativeDns: authoritativeDns !== undefined,
      queryPath: path,
    });
  const components = componentsOf(said, facts, authoritativeDns, admission);
  const monitoring = monitoringOptions && monitoringSettings(monitoringOptions, { domain, components });
  const memory = { authoritativeDNS: authoritativeDns?.memory, nodeLocalDNS: components.nodeLocalDns?.memory };
  return {
    kind: "Cluster",
    said,
    domain,
    dnsService,
    clusterDNS,
    families: familiesOf(clusterDNS),
    kubeProxyMode: said.kubeProxyMode,
    ciliumVersion: said.ciliumVersion,
    size,
    clients,
    minorVersion: minor,
    queryPath: path,
    whyNoCache: whyNoCache(props, path),
    nameservers,
    trafficDistribution: said.trafficDistribution,
    isAnnotatedForScraping: (monitoring?.monitors ?? "annotations") === "annotations",
    labels: said.labels,
    annotations: said.annotations,
    podDns,
    admission,
    kubelet: kubeletConfiguration(nameservers, domain, said.resolvConf),
    networkPolicies: networkPolicySettings(said),
    gitops: said.gitops,
    notes: [...notesOf(props, said, path, today, memory), ...sizeNotes(props, size, clients, authoritativeDns)],
    components: { ...components, monitoring },
  };
}

type KeyRead =
  | KeyOf<typeof outsideNames>
  | KeyOf<typeof queryPath>
  | KeyOf<typeof networkPolicySettings>
  | FactKey
  | ComponentKey
  // Here, and `serviceCIDRs` only by the checks.
  | "ciliumVersion"
  | "trafficDistribution"
  | "labels"
  | "annotations"
  | "gitops"
  | "serviceCIDRs";

type KeyOf<Reader extends (said: never) => unknown> = keyof Parameters<Reader>[0];

/** What several parts of a cluster go by. */
type Facts = ReturnType<typeof factsOf>;

type FactKey = "size" | "kubernetesVersion" | "clusterDomain" | "tenancy" | "queryLog" | "dnstap" | "resilience";

function factsOf(said: FullProps, today: string | undefined) {
  const { clusterDNS, clusterDomain, nodeLocalDNS, queryLog, dnstap, size, tenancy } = said;
  const path = queryPath(said);
  const nameservers = path?.podNameservers ?? clusterDNS;
  const logged = queryLog && !isOver(queryLog, today) ? queryLog : undefined;
  // Pods on a node that placement leaves without a cache ask CoreDNS themselves.
  const isCachedEverywhere = path?.state === "enabled" && !leavesOutNodes(nodeLocalDNS.nodePlacement);
  return {
    size,
    clients: isCachedEverywhere ? "caches" : "pods",
    minor: minorVersion(said.kubernetesVersion ?? "") ?? supportedMinors.oldest,
    dnsService: said.authoritativeDNS.service,
    path,
    nameservers,
    outside: outsideNames(said),
    observation: logged || dnstap ? { queryLog: logged, dnstap } : undefined,
    resilience: resilienceOptions(said),
    tenancy,
    podDns: tenancy && { tenancy, clusterDomain, nameservers },
  } as const;
}

type ComponentKey =
  | "authoritativeDNS"
  | "imageRegistry"
  | "rewrites"
  | "federation"
  | "resolvConf"
  | "metricsAddress"
  | "nodeResolver"
  | "admission"
  | "smokeTest"
  | "monitoring";

function authoritativeDnsOf(said: FullProps, facts: Facts): AuthoritativeDnsSettings | undefined {
  const { rewrites, zones, authoritativeDNS } = said;
  const { outside, observation, tenancy, size, clients, resilience } = facts;
  const shared = {
    domain: said.clusterDomain,
    outside,
    rewrites: rewrites.length > 0 ? rewrites : undefined,
    zones: Object.keys(zones).length > 0 ? answeredZones(zones) : undefined,
    observation,
    tenancy,
    federation: said.federation,
  };
  return authoritativeDnsSettings(authoritativeDNS, size, clients, shared, resilience);
}

function componentsOf(
  said: FullProps,
  facts: Facts,
  authoritativeDns: AuthoritativeDnsSettings | undefined,
  admission: AdmissionPlan | undefined,
): Omit<Components, "monitoring"> {
  const {
    clusterDNS,
    clusterDomain: domain,
    agentImage,
    federation,
    metricsAddress,
    nodeLocalDNS,
    nodeResolver,
    smokeTest,
  } = said;
  const { path, tenancy, outside } = facts;
  const isOurs = authoritativeDns !== undefined;
  const there = askedThere(said);
  const ofNodes = nodeLocalDnsComponents(
    {
      ...said,
      ...facts,
      domain,
      outside: outsideOfCache(outside, there, isOurs),
      askedThere: there,
      walked: walkedPath(said),
    },
    path,
  );
  const resolver = { clusterDomain: domain, servers: clusterDNS, metricsAddress };
  const asked = {
    ...facts,
    domain,
    clusterDNS,
    nodeLocalDNS,
    zones: authoritativeDns?.names.zones,
    federation,
    isOurs,
  };
  return {
    tenancy,
    federation,
    authoritativeDns,
    ...ofNodes,
    nodeResolver:
      nodeResolver && agentImage ? nodeResolverSettings(nodeResolver, { image: agentImage, ...resolver }) : undefined,
    admissionPolicies: admission && hasPolicies(admission) ? admission.policies : undefined,
    webhook:
      admission && needsWebhook(admission) && said.admission && agentImage
        ? webhookSettings(said.admission.webhook, agentImage, admission.webhook)
        : undefined,
    smokeTest:
      smokeTest && agentImage ? smokeTestSettings(smokeTest, agentImage, asked, path, ofNodes.nodeLocalDns) : undefined,
  };
}
