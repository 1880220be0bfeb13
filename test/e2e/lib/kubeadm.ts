import { writeFileSync } from "node:fs";
import { controlPlane, serviceRanges } from "../../../rig/cluster/addresses";
import { parseAllDocuments } from "yaml";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { tool, toolsVersion } from "../../../rig/tools";

/** Installs CoreDNS with kubeadm itself, as `kubeadm init` does, and waits until it runs. */
export async function installByKubeadm(cluster: Cluster): Promise<void> {
  const config = cluster.names.file("kubeadm.json");
  writeFileSync(config, configuration);
  const kubeconfig = cluster.names.file("pki", "admin.conf");
  const phase = ["init", "phase", "addon", "coredns", "--config", config, "--kubeconfig", kubeconfig];
  await cluster.controlPlane.exec([tool("kubernetes", "kubeadm"), ...phase]);
  await cluster.kubectl.rolledOut("deployment", "coredns", "kube-system");
}

/** The ConfigMap of kubeadm's kube-proxy, which the rig runs without one. */
export async function kubeProxyConfiguration(cluster: Cluster): Promise<KubernetesObject> {
  const config = cluster.names.file("kubeadm.json");
  writeFileSync(config, configuration);
  const phase = ["init", "phase", "addon", "kube-proxy", "--print-manifest", "--config", config];
  const manifest = await cluster.controlPlane.exec([tool("kubernetes", "kubeadm"), ...phase]);
  const found = parseAllDocuments(manifest)
    .map((document) => document.toJS() as KubernetesObject | null)
    .find((object) => object?.kind === "ConfigMap");
  if (!found) throw new Error(`kubeadm prints no ConfigMap: ${manifest}`);
  return found;
}

const apiVersion = "kubeadm.k8s.io/v1beta4";
// Versions are given; otherwise kubeadm looks them up online.
const configuration = [
  {
    apiVersion,
    kind: "ClusterConfiguration",
    kubernetesVersion: toolsVersion("kubernetes"),
    networking: { serviceSubnet: serviceRanges.ipv4, dnsDomain: "cluster.local" },
    dns: { imageRepository: "registry.k8s.io/coredns", imageTag: toolsVersion("coredns") },
  },
  {
    apiVersion,
    kind: "InitConfiguration",
    localAPIEndpoint: { advertiseAddress: controlPlane.ipv4.address },
    nodeRegistration: { name: "node-1", criSocket: "unix:///run/containerd/containerd.sock" },
  },
]
  .map((document) => JSON.stringify(document))
  .join("\n---\n");
