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
  /** What is applied: components in their order, each with its objects in theirs. */
  readonly components: readonly { readonly name: string; readonly objects: readonly KubernetesObject[] }[];
  /** What kubelets must be told: files that lie beside what is applied. */
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
      // For `--config-dir` of the kubelet (Kubernetes 1.30), which takes files that end in .conf.
      { fileName: "50-cluster-dns.conf", object: cluster.kubelet },
      // For `kubeadm init|join|upgrade --patches`: target, then patch type.
      { fileName: "kubeletconfiguration+strategic.yaml", object: cluster.kubelet },
    ],
  };
}
