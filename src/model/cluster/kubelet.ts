/** The DNS part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1). */
export interface KubeletDnsConfiguration {
  readonly apiVersion: "kubelet.config.k8s.io/v1beta1";
  readonly kind: "KubeletConfiguration";
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf?: string;
}

/** The settings every kubelet needs, so that pods ask an address that answers. */
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
    ...(resolvConf === undefined ? {} : { resolvConf }),
  };
}
