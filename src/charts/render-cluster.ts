import { ApiObject, App, Chart } from "cdk8s";
import { ClusterDns } from "../constructs/cluster-dns";
import type { Cluster } from "../model/cluster/cluster";

/** An object as it is applied. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface RenderedCluster {
  /** The objects to apply: components in apply order, and each component's objects in theirs. */
  readonly components: readonly { readonly name: string; readonly objects: readonly KubernetesObject[] }[];
  /** What kubelets must be told: files written beside the manifests, not applied. */
  readonly kubelet: readonly { readonly fileName: string; readonly object: object }[];
}

/** Renders a cluster in an app of its own, because the cost of one shared app grows with the square of its charts. */
export function renderCluster(cluster: Cluster): RenderedCluster {
  const chart = new Chart(new App(), "cluster", { disableResourceNameHashes: true });
  const dns = new ClusterDns(chart, "dns", cluster);
  return {
    components: dns.node.children.map((component) => ({
      name: component.node.id,
      objects: component.node
        .findAll()
        .filter(ApiObject.isApiObject)
        .map((object) => object.toJson() as KubernetesObject),
    })),
    kubelet: [
      // For the kubelet's `--config-dir` (Kubernetes 1.30), which reads files ending in .conf.
      { fileName: "50-cluster-dns.conf", object: cluster.kubelet },
      // For `kubeadm init|join|upgrade --patches`: target, then patch type.
      { fileName: "kubeletconfiguration+strategic.yaml", object: cluster.kubelet },
    ],
  };
}
