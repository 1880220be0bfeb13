import { admissionPlan, type AdmissionPlan } from "../admission/plan";
import { fillIn, type FullProps } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { NetworkPolicyOptions } from "../props/network-policies";
import { familiesOf } from "../query-path/query-path";
import type { Family } from "../syntax/addresses";
import { authoritativeDnsSettings } from "./authoritative-dns";
import { type Components, componentsOf } from "./components";
import { factsOf, type Facts } from "./facts";
import { monitoringSettings, type MonitoringSettings } from "./monitoring";
import { notesOf, whyNoCache } from "./notes";
import { sizeNotes } from "./size-notes";

/** A cluster as the rest of the code reads it: what its file says, with every default filled in. `resolve` makes it. */
export interface Cluster extends Pick<Facts, "clients" | "minorVersion" | "nameservers" | "podDns" | "queryPath"> {
  readonly kind: "Cluster";
  /** What its file says, and the defaults of what it does not say. */
  readonly said: FullProps;
  /** Of `clusterDNS`, in the same order. */
  readonly families: readonly Family[];
  /** Why there is no node cache although nothing turns it off. */
  readonly whyNoCache: string | undefined;
  /** Whether annotations tell Prometheus where metrics are. */
  readonly isAnnotatedForScraping: boolean;
  /** What is decided at admission, and where. */
  readonly admission: AdmissionPlan | undefined;
  /** What every kubelet needs, so that pods ask an address that answers. */
  readonly kubelet: KubeletDnsConfiguration;
  /** Undefined: none. `onlyWebhook`: no other component has one. */
  readonly networkPolicies: (NetworkPolicyOptions & { readonly onlyWebhook: boolean }) | undefined;
  /** What users may expect but do not get. */
  readonly notes: readonly string[];
  /** The settings of each component; undefined if the cluster does not have it. */
  readonly components: Components & { readonly monitoring: MonitoringSettings | undefined };
}

/** Those of `clusterOf`: whatever else has their keys may lack what rendering needs. */
const clusters = new WeakSet();

export function isCluster(value: unknown): value is Cluster {
  return typeof value === "object" && value !== null && clusters.has(value);
}

/**
 * The cluster that a description means. For a description with mistakes the result is meaningless, but this never
 * throws.
 * @param today `2026-12-24`; undefined: before everything that has an end.
 */
export function clusterOf(props: ClusterDnsProps, today?: string, said: FullProps = fillIn(props)): Cluster {
  const { clusterDNS, clusterDomain: domain, size } = said;
  const facts = factsOf(said, today);
  const { clients, minorVersion, queryPath, nameservers, podDns } = facts;
  const authoritativeDns = authoritativeDnsSettings(said, facts);
  const admission =
    said.admission &&
    admissionPlan(said.admission, {
      minorVersion,
      podDns,
      hasAuthoritativeDns: authoritativeDns !== undefined,
      queryPath,
    });
  const components = componentsOf(said, facts, authoritativeDns, admission);
  const monitoring = said.monitoring && monitoringSettings(said.monitoring, { domain, components });
  const memory = { authoritativeDNS: authoritativeDns?.memory, nodeLocalDNS: components.nodeLocalDns?.memory };
  const cluster: Cluster = {
    kind: "Cluster",
    said,
    families: familiesOf(clusterDNS),
    clients,
    minorVersion,
    queryPath,
    whyNoCache: whyNoCache(props, queryPath),
    nameservers,
    isAnnotatedForScraping: (monitoring?.monitors ?? "annotations") === "annotations",
    podDns,
    admission,
    kubelet: {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      clusterDNS: nameservers,
      clusterDomain: domain,
      ...(said.resolvConf !== undefined && { resolvConf: said.resolvConf }),
    },
    networkPolicies:
      said.networkPolicies === false ? undefined : { onlyWebhook: !said.networkPolicies, ...said.networkPolicies },
    notes: [...notesOf(props, said, queryPath, today, memory), ...sizeNotes(props, size, clients, authoritativeDns)],
    components: { ...components, monitoring },
  };
  clusters.add(cluster);
  return cluster;
}

/** The DNS part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1). */
export interface KubeletDnsConfiguration {
  readonly apiVersion: "kubelet.config.k8s.io/v1beta1";
  readonly kind: "KubeletConfiguration";
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf?: string;
}
