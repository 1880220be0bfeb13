import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import type { Pod, EndpointSlice } from "../../../src/model/kubernetes/kinds";

export type PodObject = KubernetesObject & Pod;

/** The pods of a program that are not about to end, on one node or all. @param app Their label `k8s-app`. */
export async function podsOf({ kubectl }: Cluster, app: string, node?: string): Promise<PodObject[]> {
  const where = node === undefined ? "" : `spec.nodeName=${node}`;
  const pods = await kubectl.list<PodObject>("pods", "kube-system", `k8s-app=${app}`, where);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** The pod of a program that runs on each node. */
export async function podOn(cluster: Cluster, app: string, node: string): Promise<PodObject> {
  const [pod] = await podsOf(cluster, app, node);
  if (pod === undefined) throw new Error(`no pod of ${app} on ${node}`);
  return pod;
}

/** To which Service `kube-dns` leads. */
export async function readyDnsAddresses({ kubectl }: Cluster): Promise<string[]> {
  const of = "kubernetes.io/service-name=kube-dns";
  const slices = await kubectl.list<EndpointSlice>("endpointslices", "kube-system", of);
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  return endpoints.filter(({ conditions }) => conditions?.ready === true).flatMap(({ addresses }) => addresses);
}
