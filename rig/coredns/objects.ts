import type { FakeApi, FakeObject } from "./fake-api";

// Objects as an API server has them, reduced to what DNS needs.

export function namespace(name: string, labels: { readonly [key: string]: string } = {}): FakeObject {
  return { metadata: { name, labels: { ...labels, "kubernetes.io/metadata.name": name } } };
}

export function service(namespaceName: string, name: string, clusterIP: string): FakeObject {
  return {
    metadata: { name, namespace: namespaceName },
    spec: {
      type: "ClusterIP",
      clusterIP,
      clusterIPs: [clusterIP],
      ports: [{ name: "http", port: 80, protocol: "TCP" }],
    },
  };
}

export function pod(namespaceName: string, name: string, podIP: string): FakeObject {
  return { metadata: { name, namespace: namespaceName }, status: { phase: "Running", podIP, podIPs: [{ ip: podIP }] } };
}

/** A Service and the EndpointSlice of its pods. */
export function putService(
  api: FakeApi,
  namespaceName: string,
  name: string,
  clusterIP: string,
  podIPs: readonly string[],
): void {
  api.put("services", service(namespaceName, name, clusterIP));
  api.put("endpointslices", {
    metadata: { name: `${name}-1`, namespace: namespaceName, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: podIPs.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: "http", port: 80, protocol: "TCP" }],
  });
}

/** A headless Service and its EndpointSlice, with one named pod. */
export function putHeadless(
  api: FakeApi,
  namespaceName: string,
  name: string,
  hostname: string,
  address: string,
): void {
  api.put("services", service(namespaceName, name, "None"));
  api.put("endpointslices", {
    metadata: { name: `${name}-1`, namespace: namespaceName, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], hostname, conditions: { ready: true } }],
    ports: [{ name: "http", port: 80, protocol: "TCP" }],
  });
}
