import { differences } from "../changes/differences";
import { defaults } from "../defaults";
import { minorVersion, supportedMinors } from "../kubernetes-version";
import { type Finding, found, type Found, nameOf, type SeenObject } from "./finding";

interface PodOwnerSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly spec?: {
      readonly nodeSelector?: object;
      readonly tolerations?: readonly object[];
      readonly affinity?: object;
      readonly containers?: readonly { readonly name: string; readonly resources?: object }[];
    };
  };
}

/** The cluster IPs of the DNS Service. */
export function fromService(service: SeenObject): Found {
  const { clusterIPs, ports = [] } = service.spec as { clusterIPs?: string[]; ports?: { port: number }[] };
  const others = ports.map(({ port }) => port).filter((port) => port !== 53 && port !== 9153);
  return {
    findings: found("clusterDNS", clusterIPs),
    unsaid: [
      ...(service.metadata.name === "kube-dns"
        ? []
        : [`${nameOf(service)}: we name the Service kube-dns; delete this one first`]),
      ...others.map((port) => `${nameOf(service)}: port ${port}`),
    ],
  };
}

/** The minor version of the newest kubelet: the API server's is the same or newer. */
export function fromNodes(nodes: readonly SeenObject[]): Finding[] {
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
export function fromWorkload(workload: SeenObject): Found {
  const { replicas, template } = workload.spec as PodOwnerSpec;
  const { nodeSelector, tolerations, affinity, containers = [] } = template?.spec ?? {};
  const resources = containers.find(({ name }) => /dns/.test(name))?.resources ?? {};
  const isDefault = differences(resources, kubernetesResources).length === 0;
  return {
    findings: [
      ...(workload.kind === "DaemonSet" ? found("authoritativeDNS.kind", "DaemonSet") : []),
      ...(replicas === defaults.authoritativeDNS.replicas ? [] : found("authoritativeDNS.replicas", replicas)),
      ...(isDefault || Object.keys(resources).length === 0 ? [] : found("authoritativeDNS.resources", resources)),
      ...(differences(nodeSelector, defaults.nodePlacement.nodeSelector).length === 0
        ? []
        : found("authoritativeDNS.nodePlacement.nodeSelector", nodeSelector)),
      ...(tolerations?.length ? found("authoritativeDNS.nodePlacement.tolerations", tolerations) : []),
    ],
    unsaid: affinity ? [`${nameOf(workload)}: affinity ${JSON.stringify(affinity)}`] : [],
  };
}

/** The ConfigMap `kube-dns` of kube-dns and GKE. */
export function fromKubeDNSConfig(configMap: SeenObject): Found {
  const { stubDomains, upstreamNameservers, federations, ...others } = configMap.data ?? {};
  const json = (text: string | undefined) => (text === undefined ? undefined : (JSON.parse(text) as unknown));
  const domains = Object.entries((json(stubDomains) ?? {}) as object);
  return {
    findings: [
      ...domains.map(([zone, servers]) => ({ path: ["stubDomains", zone], value: servers as unknown })),
      ...found("upstreamNameservers", json(upstreamNameservers)),
    ],
    unsaid: [
      ...(federations === undefined
        ? []
        : [`${nameOf(configMap)}: federations ${federations}; federation also needs region and zone`]),
      ...Object.keys(others).map((key) => `${nameOf(configMap)}: ${key}`),
    ],
  };
}

/** OpenShift's `DNS` of operator.openshift.io. */
export function fromOpenShift(dns: SeenObject): Found {
  const {
    servers = [],
    upstreamResolvers,
    nodePlacement,
    ...others
  } = dns.spec as {
    servers?: { name?: string; zones: string[]; forwardPlugin: { upstreams: string[]; [option: string]: unknown } }[];
    upstreamResolvers?: { upstreams?: { type: string; address?: string; port?: number }[]; policy?: string };
    nodePlacement?: object;
  };
  const upstreams = (upstreamResolvers?.upstreams ?? []).filter(({ type }) => type === "Network");
  return {
    findings: [
      ...servers.flatMap(({ zones, forwardPlugin }) =>
        zones.map((zone) => ({ path: ["stubDomains", zone], value: forwardPlugin.upstreams })),
      ),
      ...(upstreams.length === 0
        ? []
        : found(
            "upstreamNameservers",
            upstreams.map(({ address = "", port = 53 }) => (port === 53 ? address : `${address}:${port}`)),
          )),
      ...found("authoritativeDNS.nodePlacement", nodePlacement),
    ],
    unsaid: [
      ...servers.flatMap(({ name = "", forwardPlugin: { upstreams: _upstreams, ...options } }) =>
        Object.keys(options).map((option) => `${nameOf(dns)}: ${option} of server ${name}`),
      ),
      ...Object.keys(others).map((key) => `${nameOf(dns)}: ${key}`),
    ],
  };
}
