import { ApiObject, App, Chart } from "cdk8s";
import { ClusterDns } from "../constructs/cluster-dns";
import { remarksOn, type Remarks } from "../constructs/remarks";
import type { Cluster } from "../model/cluster/cluster";
import { inWaves } from "../model/gitops/annotations";
import type { ComponentObjects, KubernetesObject } from "../model/kubernetes/object";

export interface RenderedCluster {
  /** The objects to apply: components in apply order, and each component's objects in the order of their waves. */
  readonly components: readonly ComponentObjects[];
  readonly remarks: ReadonlyMap<object, Remarks>;
  /** What kubelets must be told: files written beside the manifests, not applied. */
  readonly kubelet: readonly { readonly fileName: string; readonly object: object }[];
}

/** Renders a cluster in an app of its own, because the cost of one shared app grows with the square of its charts. */
export function renderCluster(cluster: Cluster): RenderedCluster {
  const chart = new Chart(new App(), "cluster", { disableResourceNameHashes: true });
  const dns = new ClusterDns(chart, "dns", cluster);
  const remarks = new Map<KubernetesObject, Remarks>();
  const rendered = (construct: ApiObject) => {
    const object = construct.toJson() as KubernetesObject;
    const explained = remarksOn(construct);
    if (explained) remarks.set(object, explained);
    return object;
  };
  return {
    components: dns.node.children.map((component) => ({
      name: component.node.id,
      objects: inWaves(component.node.findAll().filter(ApiObject.isApiObject).map(rendered)),
    })),
    remarks,
    kubelet: [
      // For the kubelet's `--config-dir` (Kubernetes 1.30), which reads files ending in .conf.
      { fileName: "50-cluster-dns.conf", object: cluster.kubelet },
      // For `kubeadm init|join|upgrade --patches`: target, then patch type.
      { fileName: "kubeletconfiguration+strategic.yaml", object: cluster.kubelet },
    ],
  };
}
