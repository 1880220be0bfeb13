import type { EndpointSlice } from "../../../../src/model/kubernetes/kinds";
import type { UnderLoad } from "./under-load";

/** To which Service `kube-dns` leads. */
export async function readyAddresses({ cluster }: UnderLoad): Promise<string[]> {
  const slices = await cluster().kubectl.list<EndpointSlice>(
    "endpointslices",
    "kube-system",
    "kubernetes.io/service-name=kube-dns",
  );
  return slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready === true)
    .flatMap(({ addresses }) => addresses);
}
