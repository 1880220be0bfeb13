import { defaults } from "../defaults";
import { usualDnsService, otherwise } from "../dns-service";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import type { Node, Service, Workload } from "../kubernetes/kinds";
import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { DnsServiceOptions } from "../props/dns-service";
import { describeService, hasPodsOf } from "../running/find-dns";
import { type FoundValue, found } from "./found";

export function serviceProps({ spec }: Service): FoundValue[] {
  return [...found("clusterDNS", spec.clusterIPs), ...found("trafficDistribution", spec.trafficDistribution)];
}

/** A DNS that its owner keeps, and its Service as far as it is not as usual. */
export function existingDns([service]: readonly Service[], workloads: readonly Workload[]): AuthoritativeDnsOptions {
  const unusual = service ? otherwise(serviceOf(service, workloads), usualDnsService) : {};
  return { kind: "Existing", ...(Object.keys(unusual).length > 0 && { service: unusual }) };
}

/** A port that the Service names, and nothing among the objects gives a number. */
export function unnumberedPort([service]: readonly Service[], workloads: readonly Workload[]): string | undefined {
  if (service === undefined || serviceOf(service, workloads).targetPort !== undefined) return undefined;
  return `${identity(service)}: its port for DNS leads to a port of its pods that no object gives a number: set authoritativeDNS.service.targetPort, unless it is ${defaults.dnsService.targetPort}`;
}

function serviceOf(service: Service, workloads: readonly Workload[]): DnsServiceOptions {
  return describeService(
    service,
    workloads.find((each) => hasPodsOf(service, each)),
  );
}

/** Ports beside DNS and metrics, which OpenShift's has elsewhere. */
export function otherPorts(service: Service): string[] {
  const metrics = service.metadata.name === "dns-default" ? 9154 : 9153;
  const others = (service.spec.ports ?? []).map(({ port }) => port).filter((port) => port !== 53 && port !== metrics);
  return others.map((port) => `${identity(service)}: port ${port}`);
}

/** The minor version of the newest kubelet: the API server's is the same or newer. */
export function versionProps(nodes: readonly Node[]): FoundValue[] {
  const minors = nodes.flatMap(({ status }) => {
    const version = /^v(1\.\d+)/.exec(status?.nodeInfo?.kubeletVersion ?? "")?.[1];
    return version === undefined ? [] : (minorVersion(version) ?? []);
  });
  const newest = minors.reduce((most, minor) => Math.max(most, minor), 0);
  return minors.length === 0 ? [] : found("kubernetesVersion", `1.${Math.min(newest, supportedMinors.newest)}`);
}

/** What shows Cilium, and its version. */
export function ciliumProps(objects: readonly KubernetesObject[]): FoundValue[] {
  if (!ciliumConfig(objects)) return [];
  const agent = objects.find(({ kind, metadata: { name } }) => kind === "DaemonSet" && name === "cilium");
  const images = agent ? podTemplate(agent).spec.containers.map(({ image = "" }) => image) : [];
  const version = images.map((image) => /cilium[^/]*:v?(\d+\.\d+\.\d+)/.exec(image)?.[1]).find(Boolean);
  return [...found("cni", "cilium"), ...found("ciliumVersion", version)];
}

/** Why Cilium would send no query to a node cache. */
export function whyNoRedirect(objects: readonly KubernetesObject[]): string | undefined {
  const config = ciliumConfig(objects);
  const said = config?.data?.["enable-local-redirect-policy"];
  if (!config || said === "true") return undefined;
  return `${identity(config)}: enable-local-redirect-policy is ${said ?? "not set"}, so that Cilium sends no query to the node cache: set it to true (localRedirectPolicies.enabled of its Helm chart), and restart Cilium's operator and agents`;
}

function ciliumConfig(objects: readonly KubernetesObject[]): KubernetesObject | undefined {
  return objects.find(({ kind, metadata: { name } }) => kind === "ConfigMap" && name === "cilium-config");
}
