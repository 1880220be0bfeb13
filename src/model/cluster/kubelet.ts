/** The part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) that belongs to the cluster's DNS. */
export interface KubeletDnsConfiguration {
  readonly apiVersion: "kubelet.config.k8s.io/v1beta1";
  readonly kind: "KubeletConfiguration";
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf?: string;
}

/** What every kubelet of the cluster must be told, so that pods ask where somebody answers. */
export function kubeletConfiguration(
  clusterDNS: readonly string[],
  clusterDomain: string,
  resolvConf: string | undefined,
): KubeletDnsConfiguration {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    clusterDNS,
    clusterDomain,
    ...(resolvConf ? { resolvConf } : {}),
  };
}
