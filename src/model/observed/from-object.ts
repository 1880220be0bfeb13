import { defaults } from "../defaults";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import { differences } from "../kubernetes/differences";
import type { PodSpec } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { authoritativeLabels, namespace } from "../object-names";
import { isMapping } from "../syntax/mapping";
import { show } from "../syntax/show";
import { type Finding, found, type Found, merged, unlessDefault } from "./finding";
import { podFields } from "./pod-fields";

interface PodOwnerSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly spec?: Partial<PodSpec> & {
      readonly nodeSelector?: object;
      readonly tolerations?: readonly object[];
      readonly affinity?: { readonly podAntiAffinity?: object; readonly [kind: string]: object | undefined };
    };
  };
}

/** The cluster IPs of the DNS Service. */
export function fromService(service: KubernetesObject): Found {
  const {
    clusterIPs,
    ports = [],
    trafficDistribution,
  } = service.spec as { clusterIPs?: string[]; ports?: { port: number }[]; trafficDistribution?: string };
  // OpenShift's has metrics there.
  const metrics = service.metadata.name === "dns-default" ? 9154 : 9153;
  const others = ports.map(({ port }) => port).filter((port) => port !== 53 && port !== metrics);
  return {
    findings: [...found("clusterDNS", clusterIPs), ...found("trafficDistribution", trafficDistribution)],
    unsaid: others.map((port) => `${identity(service)}: port ${port}`),
  };
}

/**
 * Why Service `kube-dns-upstream`, which a cache without `agentImage` asks, would not have the pods of this one.
 * A port's name says nothing about its number.
 */
export function whyNoUpstream(service: KubernetesObject): string | undefined {
  const { selector = authoritativeLabels, ports = [] } = service.spec as {
    selector?: { readonly [label: string]: string };
    ports?: { port: number; targetPort?: number | string }[];
  };
  const others = ports.filter(
    ({ port, targetPort = port }) => port === 53 && targetPort !== 53 && typeof targetPort === "number",
  );
  const isSame =
    differences(selector, authoritativeLabels).length === 0 &&
    others.length === 0 &&
    (service.metadata.namespace ?? namespace) === namespace;
  return isSame
    ? undefined
    : `${identity(service)} has other pods or ports than Service kube-dns-upstream would; with agentImage, a cache does not need that Service: then delete this key`;
}

/** The minor version of the newest kubelet: the API server's is the same or newer. */
export function fromNodes(nodes: readonly KubernetesObject[]): Finding[] {
  const minors = nodes.flatMap(({ status }) => {
    const { nodeInfo } = (status ?? {}) as { nodeInfo?: { kubeletVersion?: string } };
    const version = /^v(1\.\d+)/.exec(nodeInfo?.kubeletVersion ?? "")?.[1];
    return version === undefined ? [] : (minorVersion(version) ?? []);
  });
  return minors.length === 0
    ? []
    : found("kubernetesVersion", `1.${Math.min(Math.max(...minors), supportedMinors.newest)}`);
}

/** Those of coredns.yaml.base, which nobody chose for this cluster. */
const kubernetesResources = { requests: { cpu: "100m", memory: "70Mi" }, limits: { memory: "170Mi" } };

/** Where CoreDNS runs, how many replicas it has, and what it may use. */
export function fromWorkload(workload: KubernetesObject): Found {
  const { replicas, template } = workload.spec as PodOwnerSpec;
  const pod = template?.spec ?? {};
  const { nodeSelector, tolerations = [], affinity, containers = [] } = pod;
  const dns = containers.find(({ name }) => /dns/.test(name));
  const { image, resources = {} } = dns ?? {};
  const isDefault = differences(resources, kubernetesResources).length === 0;
  const own: Found = {
    findings: [
      ...unlessDefault("authoritativeDNS.kind", workload.kind, defaults.authoritativeDNS.kind),
      ...unlessDefault("authoritativeDNS.replicas", replicas, defaults.authoritativeDNS.replicas),
      ...(isDefault || Object.keys(resources).length === 0 ? [] : found("authoritativeDNS.resources", resources)),
      ...unlessDefault(
        "authoritativeDNS.nodePlacement.nodeSelector",
        nodeSelector,
        defaults.nodePlacement.nodeSelector,
      ),
      ...unlessDefault("authoritativeDNS.nodePlacement.tolerations", tolerations, []),
    ],
    unsaid: podFields(pod, dns).map((what) => `${identity(workload)}: ${what}`),
  };
  return merged([own, fromImage(workload, image), fromAffinity(workload, affinity)]);
}

/** Our version of CoreDNS, if a workload has another. */
export function otherVersion(workload: KubernetesObject): string[] {
  const { template } = workload.spec as PodOwnerSpec;
  const [version] = (template?.spec?.containers ?? []).flatMap(({ image }) => coreDNSVersion(image) ?? []);
  const ours = coreDNSVersion(defaults.authoritativeDNS.image);
  return version === undefined || version === ours ? [] : [`CoreDNS ${ours}, in place of ${version}`];
}

/** The version in a tag such as `coredns:v1.11.4-eksbuild.2`; none in a digest. */
function coreDNSVersion(image = ""): string | undefined {
  return /coredns:v?(\d+\.\d+\.\d+)/.exec(image)?.[1];
}

/** A mirror with the layout of registry.k8s.io, or that the image has another source. */
function fromImage(workload: KubernetesObject, image = ""): Found {
  const registry = /^(.+)\/coredns\/coredns[:@]/.exec(image)?.[1];
  if (registry !== undefined)
    return {
      findings: unlessDefault("imageRegistry", registry, defaults.cluster.imageRegistry),
      unsaid: [],
    };
  const what = `image ${image}; set imageRegistry if nodes cannot pull from ${defaults.cluster.imageRegistry}`;
  return { findings: [], unsaid: image === "" ? [] : [`${identity(workload)}: ${what}`] };
}

/** All but what ours has as well: its pods avoid the nodes of each other. */
function fromAffinity(workload: KubernetesObject, affinity: object = {}): Found {
  const others = Object.entries(affinity).filter(([kind, terms]) => !(kind === "podAntiAffinity" && spreads(terms)));
  const written = JSON.stringify(Object.fromEntries(others));
  return { findings: [], unsaid: others.length === 0 ? [] : [`${identity(workload)}: affinity ${written}`] };
}

function spreads(podAntiAffinity: unknown): boolean {
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred = [], ...others } = podAntiAffinity as {
    preferredDuringSchedulingIgnoredDuringExecution?: { podAffinityTerm: { topologyKey: string } }[];
  };
  return (
    Object.keys(others).length === 0 &&
    preferred.every(({ podAffinityTerm: { topologyKey } }) => topologyKey === "kubernetes.io/hostname")
  );
}

/** The ConfigMap `kube-dns` of kube-dns and GKE. */
export function fromKubeDNSConfig(configMap: KubernetesObject): Found {
  const { stubDomains, upstreamNameservers, federations, ...others } = configMap.data ?? {};
  const domains = json("stubDomains", stubDomains, isMapping, '{"corp.example": ["10.1.2.3"]}') ?? {};
  return {
    findings: [
      ...Object.entries(domains).map(([zone, servers]) => ({ path: ["stubDomains", zone], value: servers })),
      ...found("upstreamNameservers", json("upstreamNameservers", upstreamNameservers, Array.isArray, '["10.1.2.3"]')),
    ],
    unsaid: [
      ...(federations === undefined
        ? []
        : [`${identity(configMap)}: federations ${federations}; federation also needs region and zone`]),
      ...Object.keys(others).map((key) => `${identity(configMap)}: ${key}`),
    ],
  };
}

/** @throws Error if the text is not JSON of the right shape. */
function json<T>(
  key: string,
  text: string | undefined,
  isShaped: (value: unknown) => value is T,
  example: string,
): T | undefined {
  if (text === undefined) return undefined;
  const accepted = `data.${key}: ${show(text)} cannot be read; accepted: JSON such as ${example}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(accepted, { cause: error });
  }
  if (!isShaped(value)) throw new Error(accepted);
  return value;
}
