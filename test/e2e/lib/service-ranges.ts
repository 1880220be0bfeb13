import type { Kubectl, KubernetesObject } from "../../../rig/cluster/kubectl";
import { until } from "../../../rig/until";

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
