import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

/** A cluster with every component that has metrics, and so with every alert. */
export function everyAlert(agentImage: string): ClusterDnsProps {
  return {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "nftables",
    kubernetesVersion: "1.33",
    agentImage,
    tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
    nodeLocalDNS: { queryLimit: 10_000 },
    nodeResolver: { services: ["kubernetes.default.svc", "late.default.svc"], interval: "5s" },
    admission: { allowedUsers: ["admin"] },
    // One name, so that other faults show as without it.
    resilience: {
      staleNames: false,
      preferPositive: false,
      staleClusterNames: false,
      pinnedNames: ["pinned.example"],
      apiPriority: false,
      consolidateErrors: false,
      shed: false,
    },
    monitoring: {},
  };
}
