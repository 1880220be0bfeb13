import { admissionPlan, hasPolicies, needsWebhook, type AdmissionPlan } from "../admission/plan";
import { answeredZones } from "../corefile/zones";
import { outsideNames } from "../corefile/outside-names";
import { defaults, withDefaults } from "../defaults";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { FederationOptions } from "../props/federation";
import type { GitOpsOptions } from "../props/gitops";
import { familiesOf, queryPath, type QueryPath } from "../query-path/query-path";
import type { Family } from "../syntax/addresses";
import { tenancyOf, type Tenancy } from "../tenancy/membership";
import type { Clients } from "../size/core-dns";
import { type Size, sizeOf } from "../size/size";
import type { PodDnsRules } from "../tenancy/pod-dns-config";
import { dnsServiceOf, type DnsService } from "../dns-service";
import { askedThere, outsideOfCache } from "./asked-there";
import { authoritativeDnsSettings, type AuthoritativeDnsSettings } from "./authoritative-dns";
import { kubeletConfiguration, type KubeletDnsConfiguration } from "./kubelet";
import { networkPolicySettings, type NetworkPolicySettings } from "./network-policies";
import { monitoringSettings, type MonitoringSettings } from "./monitoring";
import { nodeLocalDnsComponents, type NodeLocalDnsComponents } from "./node-local-dns";
import { nodeResolverSettings, type NodeResolverSettings } from "./node-resolver";
import { isOver } from "./query-log";
import { notesOf, whyNoCache } from "./notes";
import { leavesOutNodes } from "./placement";
import { sizeNotes } from "./size-notes";
import { smokeTestSettings, type SmokeTestSettings } from "./smoke-test";
import { walkedPath } from "./walked-path";
import { webhookSettings, type WebhookSettings } from "./webhook";

/** A cluster as the rest of the code reads it: what its file says, with every default filled in. `resolve` makes it. */
export interface Cluster {
  readonly kind: "Cluster";
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
  readonly gitops: GitOpsOptions | undefined;
  /** What users may expect but do not get. */
  readonly notes: readonly string[];
  readonly components: Components;
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
export function clusterOf(props: ClusterDnsProps, today?: string): Cluster {
  const {
    clusterDNS,
    kubeProxyMode,
    cni,
    ciliumVersion,
    clusterDomain: domain,
    serviceCIDRs: _onlyChecked,
    kubernetesVersion = "",
    size: givenSize,
    imageRegistry,
    agentImage,
    upstreamNameservers,
    upstreamTLSServerName,
    upstreamPolicy,
    upstreamOptions,
    stubDomains,
    hostAliases,
    rewrites,
    zones,
    filterAAAA,
    dns64,
    queryLog,
    dnstap,
    tenancy: tenancyOptions,
    federation,
    trafficDistribution,
    resolvConf,
    metricsAddress,
    labels,
    annotations,
    authoritativeDNS,
    nodeLocalDNS,
    nodeResolver,
    admission: admissionOptions,
    smokeTest,
    networkPolicies,
    monitoring,
    gitops,
    ...unread
  } = withDefaults(props, defaults.cluster);
  // A new key that nothing here reads does not compile.
  unread satisfies { readonly [key: string]: never };

  const size = sizeOf(givenSize);
  const dnsService = dnsServiceOf(authoritativeDNS);
  const path = queryPath({ clusterDNS, kubeProxyMode, cni, agentImage, nodeLocalDNS });
  const nameservers = path?.podNameservers ?? clusterDNS;
  const outside = outsideNames({
    upstreamNameservers,
    upstreamTLSServerName,
    upstreamPolicy,
    ...(upstreamOptions && { upstreamOptions }),
    stubDomains,
    hostAliases,
    zones,
    filterAAAA,
    ...(dns64 === undefined ? {} : { dns64 }),
  });
  const logged = queryLog && !isOver(queryLog, today) ? queryLog : undefined;
  const observation =
    logged || dnstap ? { queryLog: logged, dnstap: dnstap && withDefaults(dnstap, defaults.dnstap) } : undefined;
  const tenancy = tenancyOptions && tenancyOf(tenancyOptions);
  const podDns = tenancy && { tenancy, clusterDomain: domain, nameservers };
  // Pods on a node that placement leaves without a cache ask CoreDNS themselves.
  const clients = path?.state === "enabled" && !leavesOutNodes(nodeLocalDNS?.nodePlacement) ? "caches" : "pods";
  const authoritativeDns = authoritativeDnsSettings(authoritativeDNS, imageRegistry, size, clients, {
    domain,
    outside,
    rewrites: rewrites.length > 0 ? rewrites : undefined,
    zones: Object.keys(zones).length > 0 ? answeredZones(zones) : undefined,
    observation,
    tenancy,
    federation,
  });
  const there = askedThere({ rewrites, zones, authoritativeDNS, nodeLocalDNS, domain });
  const ofNodes = nodeLocalDnsComponents(
    {
      clusterDNS,
      kubeProxyMode,
      nodeLocalDNS,
      agentImage,
      imageRegistry,
      domain,
      dnsService,
      outside: outsideOfCache(outside, there, authoritativeDns !== undefined),
      askedThere: there,
      walked: walkedPath(props),
      observation,
      size,
      metricsAddress,
      ...(resolvConf === undefined ? {} : { resolvConf }),
    },
    path,
  );
  const minor = minorVersion(kubernetesVersion) ?? supportedMinors.oldest;
  const admission =
    admissionOptions &&
    admissionPlan(admissionOptions, {
      minorVersion: minor,
      podDns,
      hasAuthoritativeDns: authoritativeDns !== undefined,
      queryPath: path,
    });
  const components: Omit<Components, "monitoring"> = {
    tenancy,
    federation,
    authoritativeDns,
    ...ofNodes,
    nodeResolver:
      nodeResolver && agentImage
        ? nodeResolverSettings(nodeResolver, {
            image: agentImage,
            clusterDomain: domain,
            servers: clusterDNS,
            metricsAddress,
          })
        : undefined,
    admissionPolicies: admission && hasPolicies(admission) ? admission.policies : undefined,
    webhook:
      admission && needsWebhook(admission) && agentImage
        ? webhookSettings(admissionOptions.webhook, agentImage, admission.webhook)
        : undefined,
    smokeTest:
      smokeTest && agentImage
        ? smokeTestSettings(smokeTest, agentImage, {
            domain,
            dnsService,
            clusterDNS,
            outside,
            zones: authoritativeDns?.names.zones,
            tenancy,
            federation,
            queryPath: path,
            cache: ofNodes.nodeLocalDns,
            thresholds: ofNodes.watchdog?.config.thresholds,
            isOurs: authoritativeDns !== undefined,
          })
        : undefined,
  };
  const monitoringOf = monitoring && monitoringSettings(monitoring, { domain, components });
  return {
    kind: "Cluster",
    domain,
    dnsService,
    clusterDNS,
    families: familiesOf(clusterDNS),
    kubeProxyMode,
    ciliumVersion,
    size,
    clients,
    minorVersion: minor,
    queryPath: path,
    whyNoCache: whyNoCache(props, path),
    nameservers,
    trafficDistribution,
    isAnnotatedForScraping: (monitoringOf?.monitors ?? "annotations") === "annotations",
    labels,
    annotations,
    podDns,
    admission,
    kubelet: kubeletConfiguration(nameservers, domain, resolvConf),
    networkPolicies: networkPolicySettings({ networkPolicies, monitoring }),
    gitops,
    notes: [
      ...notesOf(props, path, today, {
        authoritativeDNS: authoritativeDns?.memory,
        nodeLocalDNS: ofNodes.nodeLocalDns?.memory,
      }),
      ...sizeNotes(props, size, clients, authoritativeDns),
    ],
    components: { ...components, monitoring: monitoringOf },
  };
}
