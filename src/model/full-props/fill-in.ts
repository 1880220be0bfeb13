import { defaults, withDefaults } from "../defaults";
import { imageOf } from "../images";
import type { AdmissionOptions } from "../props/admission";
import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { ForwardOptions } from "../props/forward-options";
import type { FluxSource, GitOpsOptions } from "../props/gitops";
import type { NodeLocalDnsOptions } from "../props/node-local-dns";
import type { Zone } from "../props/special-names";
import { sizeOf } from "./size";
import { tenancyOf } from "../tenancy/membership";
import { everyTaint, placementOf } from "./placement";

/** With every default that its other parts do not decide; what mode, size or `resilience` decides is in `Cluster`. */
export type FullProps = ReturnType<typeof fillIn>;

export type FullRewrite = FullProps["rewrites"][number];
export type FullZone = ReturnType<typeof fullZone>;
export type FullGitOps = ReturnType<typeof fullGitOps>;
export type FullAdmission = ReturnType<typeof fullAdmission>;
export type FullMonitoring = NonNullable<FullProps["monitoring"]>;
export type FullNodeResolver = NonNullable<FullProps["nodeResolver"]>;

/** Of a description with mistakes, too: what is missing there although it is required is missing here. */
export function fillIn(props: ClusterDnsProps) {
  const said = withDefaults(props, defaults.cluster);
  const { smokeTest, networkPolicies, monitoring, imageRegistry } = said;
  return {
    ...said,
    size: sizeOf(said.size),
    upstreamOptions: said.upstreamOptions && fullForward(said.upstreamOptions),
    rewrites: said.rewrites.map((each) => withDefaults(each, defaults.rewrite)),
    zones: Object.fromEntries(Object.entries(said.zones).map(([zone, each]) => [zone, fullZone(each)])),
    dnstap: said.dnstap && withDefaults(said.dnstap, defaults.dnstap),
    tenancy: said.tenancy && tenancyOf(said.tenancy),
    authoritativeDNS: fullAuthoritativeDNS(said.authoritativeDNS, imageRegistry),
    nodeLocalDNS: fullNodeLocalDNS(said.nodeLocalDNS),
    nodeResolver: said.nodeResolver && withDefaults(said.nodeResolver, defaults.nodeResolver),
    admission: said.admission && fullAdmission(said.admission),
    smokeTest: smokeTest && {
      ...withDefaults(smokeTest === true ? {} : smokeTest, defaults.smokeTest),
      nodePlacement: placementOf(smokeTest === true ? undefined : smokeTest.nodePlacement, []),
    },
    networkPolicies:
      networkPolicies &&
      withDefaults(networkPolicies === true ? {} : networkPolicies, {
        // A Prometheus is usually beside its monitors.
        metricsNamespaces: monitoring?.namespace === undefined ? defaults.metricsNamespaces : [monitoring.namespace],
      }),
    monitoring:
      monitoring && withDefaults(monitoring, { ...defaults.monitoring, dashboardLabels: defaults.dashboardLabels }),
    gitops: said.gitops && fullGitOps(said.gitops),
  };
}

function fullForward(options: ForwardOptions) {
  const said = withDefaults(options, defaults.forwardOptions);
  return { ...said, healthCheck: said.healthCheck && withDefaults(said.healthCheck, defaults.healthCheck) };
}

function fullZone(zone: Zone) {
  return {
    ...withDefaults(zone, defaults.zone),
    forward: zone.forward && { ...withDefaults(zone.forward, defaults.zoneServers), ...fullForward(zone.forward) },
    templates: zone.templates?.map((each) => withDefaults(each, defaults.zoneTemplate)),
  };
}

function fullAuthoritativeDNS(given: AuthoritativeDnsOptions | undefined, imageRegistry: string) {
  return {
    ...withDefaults(given, defaults.authoritativeDNS),
    service: {
      ...withDefaults(given?.service, defaults.dnsService),
      portNames: withDefaults(given?.service?.portNames, defaults.dnsPortNames),
    },
    image: imageOf(given?.image, defaults.authoritativeDNS.image, imageRegistry),
    autoscaler: given?.autoscaler && {
      ...withDefaults(given.autoscaler, defaults.autoscaler),
      image: imageOf(given.autoscaler.image, defaults.autoscaler.image, imageRegistry),
    },
    corefile: given?.corefile && withDefaults(given.corefile, defaults.corefile),
    nodePlacement: placementOf(given?.nodePlacement, []),
  };
}

function fullNodeLocalDNS(given: NodeLocalDnsOptions | undefined) {
  return {
    ...withDefaults(given, defaults.nodeLocalDNS),
    searchPath: given?.searchPath && withDefaults(given.searchPath, defaults.searchPath),
    corefile: given?.corefile && withDefaults(given.corefile, defaults.corefile),
    nodePlacement: placementOf(given?.nodePlacement, everyTaint),
    watchdogThresholds: withDefaults(given?.watchdogThresholds, defaults.watchdogThresholds),
  };
}

function fullAdmission(given: AdmissionOptions) {
  return {
    ...withDefaults(given, defaults.admission),
    podDNSConfig: given.podDNSConfig && withDefaults(given.podDNSConfig, defaults.podDNSConfig),
    webhook: {
      ...withDefaults(given.webhook, defaults.webhook),
      issuerRef: given.webhook?.issuerRef && withDefaults(given.webhook.issuerRef, defaults.issuerRef),
      nodePlacement: placementOf(given.webhook?.nodePlacement, []),
    },
  };
}

export function fullGitOps({ argocd, flux }: GitOpsOptions) {
  return {
    argocd: argocd && withDefaults(argocd, defaults.argocd),
    flux: flux && { ...withDefaults(flux, defaults.flux), source: fullSource(flux.source) },
  };
}

function fullSource(given: FluxSource | undefined) {
  const said = withDefaults(given, defaults.fluxSource);
  return said.url === undefined ? said : { ...said, ref: said.ref ?? defaults.fluxRef[said.kind] };
}
