import { parse } from "yaml";
import type { KubernetesObject } from "../model/kubernetes/object";
import type { ProxyConfiguration } from "../model/running/cluster-state";
import { isMapping } from "../model/syntax/mapping";
import { orElse } from "../model/syntax/or-else";

/**
 * What a ConfigMap says of kube-proxy: kubeadm's kube-proxy (`config.conf`), EKS's kube-proxy-config (`config`), or any
 * other that holds a KubeProxyConfiguration.
 */
export function proxyConfigurations({ metadata: { name }, data }: KubernetesObject): ProxyConfiguration[] {
  return Object.entries(data ?? {}).flatMap(([key, text]) => {
    if (typeof text !== "string" || !text.includes("KubeProxyConfiguration")) return [];
    // Some other ConfigMap says nothing about kube-proxy.
    const configuration: unknown = orElse(() => parse(text) as unknown, undefined);
    if (!isMapping(configuration) || configuration["kind"] !== "KubeProxyConfiguration") return [];
    // kube-proxy on Linux defaults to iptables.
    const mode = String(configuration["mode"] || "iptables");
    // That of Windows nodes, beside another for Linux.
    if (mode === "kernelspace") return [];
    return [{ mode, source: `ConfigMap ${name} (${key})`, configMap: name }];
  });
}
