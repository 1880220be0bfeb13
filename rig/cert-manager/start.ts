import type { Cluster } from "../cluster/cluster";
import { namespaceObject } from "../cluster/objects";
import { createCrds, publishedPaths } from "../cluster/crds";
import { serviceAccountConfig } from "../cluster/service-account";
import type { Progress } from "../progress";
import { buildTools, tool } from "../tools";
import { certManagerCrds } from "./crds";

const namespace = "cert-manager";
const account = "cert-manager";

/** Installs cert-manager's resources, and starts its controllers and cainjector in the control plane's namespace. */
export async function startCertManager(cluster: Cluster, progress: Progress): Promise<void> {
  await buildTools(progress, ["cert-manager"]);
  await createCrds(cluster.kubectl, await publishedPaths(certManagerCrds));
  await cluster.kubectl.apply([
    namespaceObject(namespace),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: account },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    },
  ]);
  const env = { KUBECONFIG: await serviceAccountConfig(cluster, namespace, account) };
  cluster.controlPlane.start(account, [tool("cert-manager", "cert-manager")], env);
}
