import { removeAfterOf } from "../cluster/node-local-dns";
import { needsWebhook } from "../admission/plan";
import type { AutoscalerSettings } from "../cluster/authoritative-dns";
import type { Cluster } from "../cluster/cluster";
import { resilienceOptions } from "../cluster/resilience";
import type { NodeLocalDnsSettings } from "../cluster/node-local-dns";
import { placementOf } from "../cluster/placement";
import { sizeOf } from "../size/size";
import type { CacheSettings, StaleSettings } from "../corefile/cache";
import { filledIn } from "../corefile/outside-names";
import { defaults, withDefaults } from "../defaults";
import type { AdmissionOptions } from "../props/admission";
import type { AuthoritativeDnsOptions, AutoscalerOptions } from "../props/authoritative-dns";
import type { CacheOptions } from "../props/cache";
import type { CorefileAdditions } from "../props/corefile";
import type { ResilienceOptions } from "../props/resilience";
import { releasedAgentImage } from "../released";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { FluxSource, GitOpsOptions } from "../props/gitops";
import type { NodeLocalDnsOptions } from "../props/node-local-dns";
import { isMapping } from "../syntax/mapping";
import { otherKeys } from "./every-key";

/**
 * Keys of a description. Undefined: there is no value, and the key's documentation says what happens without one; null:
 * the key has no effect in this cluster.
 */
export type Effective<Options> = { readonly [key in keyof Options | typeof otherKeys]?: unknown };

/** The values in effect for every key of a cluster's description: what it says, and the defaults for everything else. */
export function effective(props: ClusterDnsProps, cluster: Cluster): Effective<ClusterDnsProps> {
  const said = withParts(props);
  const { tenancy } = cluster.components;
  const { hasNodes: _hasNodes, ...size } = sizeOf(said.size);
  return {
    ...said,
    size,
    upstreamOptions: said.upstreamOptions && filledIn(said.upstreamOptions),
    agentImage: said.agentImage ?? releasedAgentImage ?? "none",
    resilience: resilience(said),
    tenancy: tenancy && { ...tenancy, strict: tenancy.strict ?? false },
    smokeTest: said.smokeTest && withDefaults(said.smokeTest === true ? {} : said.smokeTest, defaults.smokeTest),
    networkPolicies: said.networkPolicies && { metricsNamespaces: cluster.networkPolicies?.metricsNamespaces },
    gitops: said.gitops && gitops(said.gitops),
    authoritativeDNS: authoritativeDNS(props.authoritativeDNS, cluster),
    nodeLocalDNS: nodeLocalDNS(props.nodeLocalDNS, cluster),
    admission: props.admission && admission(props.admission, cluster),
    monitoring: said.monitoring && { dashboardLabels: defaults.dashboardLabels, ...said.monitoring },
  };
}

/** With the defaults of each part that has some: all there is to say of most. */
function withParts(props: ClusterDnsProps) {
  const said = withDefaults(props, defaults.cluster);
  const parts: { readonly [key: string]: unknown } = { ...defaults, cluster: undefined };
  const all = Object.entries(said).map(([key, value]: [string, unknown]) => {
    const own = parts[key];
    return [key, isMapping(own) && isMapping(value) ? withDefaults(value, own) : value];
  });
  return Object.fromEntries(all) as typeof said;
}

function resilience(said: ClusterDnsProps): Effective<ResilienceOptions> | boolean {
  const options = resilienceOptions(said);
  if (!options) return false;
  return {
    ...options,
    preferPositive: options.staleNames === false ? null : options.preferPositive,
    apiPriority: said.authoritativeDNS?.kind === "Existing" ? null : options.apiPriority,
  };
}

function gitops({ argocd, flux }: GitOpsOptions): Effective<GitOpsOptions> {
  return {
    argocd: argocd && withDefaults(argocd, defaults.argocd),
    flux: flux && { ...withDefaults(flux, defaults.flux), source: fluxSource(flux.source) },
  };
}

function fluxSource(given: FluxSource | undefined): Effective<FluxSource> {
  const said = withDefaults(given, defaults.fluxSource);
  const { url, ref = defaults.fluxRef[said.kind], secretRef } = said;
  return url === undefined ? { ...said, url, ref: null, secretRef: null } : { ...said, url, ref, secretRef };
}

function authoritativeDNS(
  given: AuthoritativeDnsOptions | undefined,
  { components: { authoritativeDns: settings }, dnsService }: Cluster,
): Effective<AuthoritativeDnsOptions> {
  if (!settings) return { kind: "Existing", [otherKeys]: null, ...given, service: dnsService };
  const { kind, image, replicas, autoscaler, names, placement, resources } = settings;
  return {
    ...withDefaults(given, defaults.authoritativeDNS),
    kind,
    service: null,
    image,
    pods: names.pods,
    replicas: replicas ?? null,
    autoscaler: autoscaler && autoscalerOptions(autoscaler),
    cache: cacheOptions(names.cache, given?.cache),
    corefile: given?.corefile && withDefaults(given.corefile, defaults.corefile),
    nodePlacement: placement,
    resources,
  };
}

function autoscalerOptions(settings: AutoscalerSettings): Effective<AutoscalerOptions> {
  if (settings.mode === "horizontal") return { ...settings, [otherKeys]: null };
  const { placement: _placement, ...options } = settings;
  return { ...options, cpuUtilization: null };
}

function nodeLocalDNS(given: NodeLocalDnsOptions | undefined, cluster: Cluster): Effective<NodeLocalDnsOptions> {
  const { queryPath, components } = cluster;
  const state = queryPath?.state ?? "disabled";
  const said = withDefaults(given, defaults.nodeLocalDNS);
  const settings = components.nodeLocalDns;
  const hasLink = queryPath?.linkMadeBy !== undefined && state !== "disabled";
  const hasRules = hasLink && queryPath.linkMadeBy === "agent";
  return {
    ...(settings ? said : { [otherKeys]: null }),
    removeAfter: queryPath && state === "removed" ? (said.removeAfter ?? removeAfterOf[queryPath.interception]) : null,
    interception: state === "disabled" ? null : queryPath?.interception,
    linkLocalAddresses: hasLink ? queryPath.linkLocalAddresses : null,
    packetFilter: hasRules ? said.packetFilter : null,
    markBit: hasRules ? said.markBit : null,
    ...(hasRules ? {} : { queryLimit: null }),
    watchdog: hasRules && state === "enabled" ? said.watchdog : null,
    askClusterDNS: settings ? said.askClusterDNS : null,
    // What has no effect but is written stays visible.
    ...given,
    searchPath: given?.searchPath && withDefaults(given.searchPath, defaults.searchPath),
    watchdogThresholds:
      components.watchdog && said.watchdog
        ? withDefaults(given?.watchdogThresholds, defaults.watchdogThresholds)
        : (given?.watchdogThresholds ?? null),
    ...(settings &&
      ofCache(settings, given?.cache, given?.corefile && withDefaults(given.corefile, defaults.corefile))),
    state,
  };
}

function ofCache(
  { queryPath: { engine }, image, names, placement, resources }: NodeLocalDnsSettings,
  given?: CacheOptions,
  corefile?: CorefileAdditions,
) {
  const { prefetch, serveStale, success, denial } = names.outsideCache;
  const clusterNames = names.clusterCache.serveStale !== undefined;
  const { success: clusterSuccess, denial: clusterDenial } = names.clusterCache;
  return {
    engine,
    image,
    cache: {
      ...cacheOptions({ success: clusterSuccess, denial: clusterDenial, prefetch, serveStale }, given),
      serveStale: given?.serveStale && staleOptions(serveStale, clusterNames),
    },
    outsideCache: { success, denial },
    corefile,
    nodePlacement: placement,
    resources,
  };
}

function cacheOptions({ success, denial, prefetch, serveStale }: CacheSettings, given: CacheOptions | undefined) {
  // Only the node cache has a cache of the cluster's names.
  const clusterNames = (typeof given?.serveStale === "object" ? given.serveStale.clusterNames : undefined) ?? null;
  return { success, denial, prefetch, serveStale: given?.serveStale && staleOptions(serveStale, clusterNames) };
}

function staleOptions(serveStale: StaleSettings | undefined, clusterNames: boolean | null) {
  if (!serveStale) return undefined;
  const { timeout = null, preferPositive = null } = serveStale;
  return { ...serveStale, timeout, preferPositive, clusterNames };
}

function admission(given: AdmissionOptions, { admission: plan }: Cluster): Effective<AdmissionOptions> {
  const said = withDefaults(given, defaults.admission);
  const { nodePlacement, issuerRef, ...webhook } = withDefaults(given.webhook, defaults.webhook);
  return {
    ...said,
    podDNSConfig: given.podDNSConfig && withDefaults(given.podDNSConfig, defaults.podDNSConfig),
    webhook:
      plan && needsWebhook(plan)
        ? {
            ...webhook,
            ...(issuerRef && { issuerRef: withDefaults(issuerRef, defaults.issuerRef) }),
            nodePlacement: placementOf(nodePlacement, []),
          }
        : (said.webhook ?? null),
  };
}
