import { createCrds, publishedPaths } from "../../../rig/cluster/crds";
import type { Kubectl, KubernetesObject } from "../../../rig/cluster/kubectl";
import { toolsModule } from "../../../rig/tools";
import { certManagerCrds } from "../../../rig/cert-manager/crds";
import { operatorCrds } from "../../../rig/prometheus/operator-crds";
import { until } from "../../../rig/until";

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

const ranges = ["10.43.0.0/16", "10.100.0.0/16", "172.30.0.0/16"];

/** Adds the service ranges of the clusters of dist/, and waits until the API server hands out their addresses. */
export async function useServiceRanges(kubectl: Kubectl): Promise<void> {
  await kubectl.apply(ranges.map(serviceRange));
  await until("the service ranges", 120, async () => {
    await kubectl.apply(ranges.map(probe));
    return true;
  });
}

function probe(range: string, index: number): KubernetesObject {
  const clusterIP = range.replace("0.0/16", "0.9");
  const metadata = { name: `probe-${index}`, namespace: "default" };
  return { apiVersion: "v1", kind: "Service", metadata, spec: { clusterIP, ports: [{ port: 53 }] } };
}

function serviceRange(cidr: string): KubernetesObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: `range-${cidr.replaceAll(/[./]/g, "-")}` },
    spec: { cidrs: [cidr] },
  };
}
