import { ofFamilies, nodePodRanges, clusterDns, podRanges, type IpFamilies } from "./addresses";
import type { KubernetesObject } from "./kubectl";

/** Image of the pod sandboxes. */
export const pauseImage = "cluster-dns.test/pause:e2e";

/** The files that a node's containerd, kubelet and kube-proxy read. */

export function containerdConfig(runc: string, cniFolders: readonly string[]): string {
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "${pauseImage}"
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = "/etc/containerd/certs.d"
[plugins.'io.containerd.cri.v1.runtime']
  # a nested node cannot lower an OOM score, and has no AppArmor of its own
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = "${runc}"
      SystemdCgroup = false
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ${JSON.stringify(cniFolders)}
    conf_dir = "/etc/cni/net.d"
`;
}

export function cniConfig(index: number, families: IpFamilies): string {
  const ranges = ofFamilies(families, nodePodRanges(index)).map((subnet) => [{ subnet }]);
  const routes = ofFamilies(families, { ipv4: "0.0.0.0/0", ipv6: "::/0" }).map((dst) => ({ dst }));
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: "cni0",
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: { type: "host-local", dataDir: "/run/cni-ipam", ranges, routes },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  });
}

export function kubeletConfig(authority: string): string {
  return JSON.stringify({
    ...ofEveryKubelet,
    failCgroupV1: false,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: authority } },
    authorization: { mode: "Webhook" },
    resolvConf: "/etc/resolv.conf",
    staticPodPath: "/etc/kubernetes/manifests",
  });
}

/** Of a kubelet without an API server, which refuses to start on cgroup version 1. */
export function standaloneKubeletConfig(resolvConf: string, staticPodPath: string): string {
  return JSON.stringify({
    ...ofEveryKubelet,
    failCgroupV1: true,
    // there is nobody to ask who may ask it
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    resolvConf,
    staticPodPath,
    nodeStatusUpdateFrequency: "1m", // nobody reads it
  });
}

const ofEveryKubelet = {
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  cgroupDriver: "cgroupfs",
  failSwapOn: false,
  oomScoreAdj: 0,
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  clusterDNS: [clusterDns.ipv4],
  clusterDomain: "cluster.local",
  // the machine's disk and memory are not the node's: never evict because of them
  evictionHard: {
    "memory.available": "0%",
    "nodefs.available": "0%",
    "nodefs.inodesFree": "0%",
    "imagefs.available": "0%",
  },
  imageGCHighThresholdPercent: 100,
  volumePluginDir: "/var/lib/kubelet/volumeplugins",
  nodeStatusUpdateFrequency: "5s",
};

export function kubeProxyConfig(mode: "iptables" | "nftables", families: IpFamilies, kubeconfig: string): string {
  return JSON.stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode,
    clusterCIDR: ofFamilies(families, podRanges).join(","),
    clientConnection: { kubeconfig },
    // these settings belong to the machine, not to a namespace
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  });
}

/** Created before the kubelet registers: nothing in this cluster assigns pod ranges. */
export function nodeObject(index: number, families: IpFamilies): KubernetesObject {
  const name = `node-${index}`;
  const podCIDRs = ofFamilies(families, nodePodRanges(index));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec: { podCIDR: podCIDRs[0], podCIDRs },
  };
}
