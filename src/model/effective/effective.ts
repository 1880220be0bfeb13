import { removeAfterOf } from "../cluster/node-local-dns";
import { needsWebhook } from "../admission/plan";
import type { AutoscalerSettings } from "../cluster/authoritative-dns";
import type { Cluster } from "../cluster/cluster";
import { resilienceOptions } from "../cluster/resilience";
import type { NodeLocalDnsSettings } from "../cluster/node-local-dns";
import type { CacheSettings, StaleSettings } from "../corefile/cache";
import type { FullGitOps, FullProps } from "../full-props/fill-in";
import type { AuthoritativeDnsOptions, AutoscalerOptions } from "../props/authoritative-dns";
import type { CacheOptions } from "../props/cache";
import type { ResilienceOptions } from "../props/resilience";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { GitOpsOptions } from "../props/gitops";
import type { NodeLocalDnsOptions } from "../props/node-local-dns";
import { otherKeys } from "./every-key";

/** Undefined: there is no value, and the key's documentation says what follows; null: the key has no effect here. */
type Effective<Options> = { readonly [key in keyof Options | typeof otherKeys]?: unknown };

export function effective(props: ClusterDnsProps, cluster: Cluster): Effective<ClusterDnsProps> {
  const { said, admission: plan } = cluster;
  const { tenancy } = said;
  const { hasNodes: _hasNodes, ...size } = said.size;
  return {
    ...said,
    // Entries are shown as they are written.
    ...(props.rewrites && { rewrites: props.rewrites }),
    ...(props.zones && { zones: props.zones }),
    size,
    agentImage: said.agentImage ?? "none",
    resilience: resilience(said),
    tenancy: tenancy && { ...tenancy, strict: tenancy.strict ?? false },
    gitops: said.gitops && gitops(said.gitops),
    authoritativeDNS: authoritativeDNS(props.authoritativeDNS, cluster),
    nodeLocalDNS: nodeLocalDNS(props.nodeLocalDNS, cluster),
    admission: said.admission && {
      ...said.admission,
      // What is written stays visible where it has no effect.
      webhook: plan && needsWebhook(plan) ? said.admission.webhook : (props.admission?.webhook ?? null),
    },
  };
}

function resilience(said: FullProps): Effective<ResilienceOptions> | boolean {
  const options = resilienceOptions(said);
  if (!options) return false;
  return {
    ...options,
    preferPositive: options.staleNames === false ? null : options.preferPositive,
    apiPriority: said.authoritativeDNS.kind === "Existing" ? null : options.apiPriority,
  };
}

function gitops({ argocd, flux }: FullGitOps): Effective<GitOpsOptions> {
  if (!flux || flux.source.url !== undefined) return { argocd, flux };
  return { argocd, flux: { ...flux, source: { ...flux.source, ref: null, secretRef: null } } };
}

function authoritativeDNS(
  given: AuthoritativeDnsOptions | undefined,
  { said, components: { authoritativeDns: settings } }: Cluster,
): Effective<AuthoritativeDnsOptions> {
  if (!settings) return { kind: "Existing", [otherKeys]: null, ...given, service: said.authoritativeDNS.service };
  const { replicas, autoscaler, names, resources } = settings;
  return {
    ...said.authoritativeDNS,
    service: null,
    pods: names.pods,
    replicas: replicas ?? null,
    autoscaler: autoscaler && autoscalerOptions(autoscaler),
    cache: cacheOptions(names.cache, given?.cache),
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
  const said = cluster.said.nodeLocalDNS;
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
    searchPath: said.searchPath,
    watchdogThresholds:
      components.watchdog && said.watchdog ? said.watchdogThresholds : (given?.watchdogThresholds ?? null),
    ...(settings && { ...ofCache(settings, given?.cache), corefile: said.corefile }),
    state,
  };
}

function ofCache(
  { queryPath: { engine }, image, names, placement, resources }: NodeLocalDnsSettings,
  given?: CacheOptions,
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
