import { createCrds, publishedPaths } from "../../../rig/cluster/crds";
import type { Kubectl } from "../../../rig/cluster/kubectl";
import { toolsModule } from "../../../rig/tools";
import { certManagerCrds } from "../../../rig/cert-manager/crds";
import { operatorCrds } from "../../../rig/prometheus/operator-crds";

/** Custom resources that clusters and their GitOps controllers may contain, from the definitions that their projects publish in their Go modules. */
const published = [
  { module: toolsModule("cilium"), files: ["pkg/k8s/apis/cilium.io/client/crds/v2/ciliumlocalredirectpolicies.yaml"] },
  operatorCrds,
  certManagerCrds,
  {
    module: toolsModule("argocd"),
    files: ["application", "appproject"].map((name) => `manifests/crds/${name}-crd.yaml`),
  },
  { module: toolsModule("flux"), files: ["config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml"] },
  {
    module: toolsModule("source-controller"),
    files: ["gitrepositories", "ocirepositories"].map(
      (name) => `config/crd/bases/source.toolkit.fluxcd.io_${name}.yaml`,
    ),
  },
];

/** Creates the definitions, and waits until the API server serves what they define. */
export async function createPublishedCrds(kubectl: Kubectl): Promise<void> {
  const paths: string[] = [];
  for (const each of published) paths.push(...(await publishedPaths(each)));
  await createCrds(kubectl, paths);
}
