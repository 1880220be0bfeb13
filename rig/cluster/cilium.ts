import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { goModule } from "../go-module";
import { toolsModule } from "../tools";
import { podRanges, type IpFamilies } from "./addresses";
import type { KubernetesObject } from "./kubectl";

/** Cilium's agent, in place of kube-proxy and of the bridge. It runs as a process, not as a pod: it needs no image. */

/** Where Debian's `clang-19` has `clang`, with which the agent compiles its programs. */
export const clangFolder = "/usr/lib/llvm-19/bin";

/** The agent's module: it has the sources of those programs, and the CRDs. */
export function ciliumSource(): Promise<string> {
  return goModule(toolsModule("cilium"));
}

/** What its operator would create. */
export function ciliumCrds(source: string): KubernetesObject[] {
  return ["v2", "v2alpha1"].flatMap((version) => {
    const folder = join(source, "pkg/k8s/apis/cilium.io/client/crds", version);
    const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
    return files.map((file) => parse(readFileSync(join(folder, file), "utf8")) as KubernetesObject);
  });
}

/**
 * As with Helm's `kubeProxyReplacement` and `localRedirectPolicies.enabled`. Left out is what has a program of its own:
 * Envoy, Hubble, health checks.
 */
export function ciliumFlags(kubeconfig: string, families: IpFamilies): string[] {
  const isDual = families === "dual";
  return Object.entries({
    "k8s-kubeconfig-path": kubeconfig,
    "bpf-root": "/sys/fs/bpf",
    "cgroup-root": "/sys/fs/cgroup/unified",
    "identity-allocation-mode": "crd",
    ipam: "kubernetes",
    "k8s-require-ipv4-pod-cidr": true,
    "k8s-require-ipv6-pod-cidr": isDual,
    "enable-ipv6": isDual,
    "routing-mode": "native",
    "auto-direct-node-routes": true,
    "ipv4-native-routing-cidr": podRanges.ipv4,
    ...(isDual && { "ipv6-native-routing-cidr": podRanges.ipv6 }),
    "enable-ipv4-masquerade": false,
    "enable-ipv6-masquerade": false,
    "kube-proxy-replacement": true,
    "enable-local-redirect-policy": true,
    "enable-l7-proxy": false,
    "enable-hubble": false,
    "enable-health-checking": false,
    "enable-endpoint-health-checking": false,
    "write-cni-conf-when-ready": "/etc/cni/net.d/05-cilium.conflist",
  }).map(([name, value]) => `--${name}=${value}`);
}
