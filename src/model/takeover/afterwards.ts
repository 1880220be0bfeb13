import { defaults } from "../defaults";
import { type KubernetesObject } from "../kubernetes/object";
import { dense, type Sparse } from "../syntax/sparse";

/** What kubeadm and Cluster API need to be told once CoreDNS is ours. */
export function upgradesAfterwards(objects: readonly KubernetesObject[]): Sparse<string> {
  const version = defaults.authoritativeDNS.image.replace(/^.*:v/, "");
  const controlPlanes = [...new Set(dense(objects.map(controlPlaneOf)))];
  if (controlPlanes.length > 0)
    return controlPlanes.map(
      (name) =>
        `Cluster API restores its CoreDNS at the next upgrade, and refuses ${version}, unless told, where it runs: kubectl annotate kubeadmcontrolplane ${name} controlplane.cluster.x-k8s.io/skip-coredns=`,
    );
  const isKubeadm = objects.some(({ kind, metadata: { name } }) => kind === "ConfigMap" && name === "kubeadm-config");
  return (
    isKubeadm &&
    `kubeadm's next upgrade refuses CoreDNS ${version}, which it does not know: kubeadm upgrade apply --ignore-preflight-errors=CoreDNSMigration,CoreDNSUnsupportedPlugins`
  );
}

/** Of a node that Cluster API made (api/v1beta1, common_types.go). */
function controlPlaneOf({ kind, metadata: { annotations = {} } }: KubernetesObject): string | undefined {
  const isOwned = kind === "Node" && annotations["cluster.x-k8s.io/owner-kind"] === "KubeadmControlPlane";
  return isOwned ? (annotations["cluster.x-k8s.io/owner-name"] ?? "") : undefined;
}
