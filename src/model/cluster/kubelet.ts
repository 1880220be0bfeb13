/** The DNS part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1). */
export interface KubeletDnsConfiguration {
  readonly apiVersion: "kubelet.config.k8s.io/v1beta1";
  readonly kind: "KubeletConfiguration";
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf?: string;
}
