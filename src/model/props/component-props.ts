import type { AuthoritativeDnsOptions } from "./authoritative-dns";
import type { ClusterDnsProps } from "./cluster-dns";
import type { ClusterFacts } from "./cluster-facts";
import type { FederationOptions } from "./federation";
import type { NodeLocalDnsOptions } from "./node-local-dns";
import type { TenancyOptions } from "./tenancy";
import type { NodeResolverOptions } from "./node-resolver";
import { derived } from "../check/sound";

// A component alone takes the facts of the cluster and its own options side by side; a cluster file nests the options.

/** Props of `AuthoritativeDns`. */
export interface AuthoritativeDnsProps extends ClusterFacts, AuthoritativeDnsOptions {}

/** Props of `NodeLocalDns`. */
export interface NodeLocalDnsProps extends ClusterFacts, NodeLocalDnsOptions {}

/** Props of `NodeResolver`. */
export interface NodeResolverProps extends ClusterFacts, NodeResolverOptions {}

/** Props of `Federation`. */
export interface FederationProps extends ClusterFacts {
  readonly federation: FederationOptions;
}

/** Props of `Tenancy`. */
export interface TenancyProps extends ClusterFacts {
  readonly tenancy: TenancyOptions;
}

const facts: { readonly [key in keyof Required<ClusterFacts>]: true } = {
  clusterDNS: true,
  kubeProxyMode: true,
  cni: true,
  clusterDomain: true,
  serviceCIDRs: true,
  kubernetesVersion: true,
  imageRegistry: true,
  agentImage: true,
  upstreamNameservers: true,
  upstreamTLSServerName: true,
  upstreamPolicy: true,
  stubDomains: true,
  hostAliases: true,
  tenancy: true,
  federation: true,
  trafficDistribution: true,
  resolvConf: true,
  labels: true,
  annotations: true,
};

/** The facts of a cluster, without what its components are told. */
export function clusterFacts(props: ClusterFacts): ClusterFacts {
  return pick(props, (key) => key in facts) as ClusterFacts;
}

/** Component props as a cluster description with only that component in it. */
export function nested(
  component: "authoritativeDNS" | "nodeLocalDNS" | "nodeResolver",
  props: ClusterFacts,
): ClusterDnsProps {
  const others: ClusterDnsProps = { ...clusterFacts(props), nodeLocalDNS: { state: "disabled" } };
  return derived(props, { ...others, [component]: pick(props, (key) => !(key in facts)) });
}

function pick(props: object, wanted: (key: string) => boolean): object {
  return Object.fromEntries(Object.entries(props).filter(([key]) => wanted(key)));
}
